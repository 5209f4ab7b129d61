-- Ends one entry of a stream, whole or not at all: acknowledges it, and runs what follows from it.
-- KEYS: the stream, the counts, the key that marks the message as seen ("" if it has no id)
-- ARGV: group, entry id, seconds to remember, role, what became of the message, the digest of its
--       content, then commands: the number of words, and the words
-- Returns what became of it. After 'reused' nothing has changed: another message had its id.
local stream, counts, seen = KEYS[1], KEYS[2], KEYS[3]
local group, entry, remember, role, fate = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local content, commands = ARGV[6], 7

-- A script that fails in the middle is not rolled back. What can fail is a key that holds something
-- else than its commands are for, so all keys are looked at before anything changes.
local keys = { [counts] = 'hash' }
local at = commands
while at <= #ARGV do
  keys[ARGV[at + 2]] = ARGV[at + 1] == 'XADD' and 'stream' or 'hash'
  at = at + tonumber(ARGV[at]) + 1
end
for key, kind in pairs(keys) do
  local is = redis.call('TYPE', key).ok
  if is ~= 'none' and is ~= kind then
    return redis.error_reply('WRONGTYPE ' .. key .. ' is to be a ' .. kind .. ', not a ' .. is)
  end
end

local known = seen ~= '' and redis.call('GET', seen)
if known and known ~= content then
  return 'reused'
end

if redis.call('XACK', stream, group, entry) == 0 then
  fate = 'gone' -- another worker was faster, or this one came back from the dead
else
  redis.call('XDEL', stream, entry)
  if known then
    fate = 'duplicate'
  else
    if seen ~= '' then
      redis.call('SET', seen, content, 'EX', remember)
    end
    at = commands
    while at <= #ARGV do
      local words = tonumber(ARGV[at])
      redis.call(unpack(ARGV, at + 1, at + words))
      at = at + words + 1
    end
  end
end
redis.call('HINCRBY', counts, role .. ' ' .. fate, 1)
return fate
