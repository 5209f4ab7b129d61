//! Checks that no single message shows: tool calls and their results over a whole history.
//!
//! Ids are scoped to the run; the messages of several runs may be mixed. A call is
//! open until a result answers it; a turn is what a run's assistant says without being
//! interrupted, and the results that follow.

use std::collections::HashMap;

use crate::json::Value;

use crate::contract::current::message::{
    ApprovalDecision, ApprovalRequest, ApprovalResponse, MessagePart, Outcome,
};
use crate::contract::versions::Version;
use crate::errors::{Error, Finding, clip_text};
use crate::message::history::messages::{Kinds, allowed_kinds, is_misplaced, read_message};
use crate::message::history::runs::{
    Answer, CallKey, Place, RecentKeys, Request, RunState, position,
};
use crate::tables::limits::DEFAULT_REMEMBERED;

/// How a history is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryOptions {
    /// The history goes on: calls of a run's last turn may wait for their results.
    pub ongoing: bool,
    /// How many answered calls are remembered at least; all of them if None.
    pub remember: Option<usize>,
    /// The contract version whose table of roles holds: that of the oldest reader.
    pub version: Version,
}

impl Default for HistoryOptions {
    fn default() -> Self {
        Self { ongoing: false, remember: Some(DEFAULT_REMEMBERED), version: Version::default() }
    }
}

/// Returns what is wrong with a history, in document order; none means nothing.
///
/// Messages are JSON text, in the order of the history; they are read tolerantly and once.
/// Pointers lead into the history as an array. Fails with [`Error::Usage`] for options that cannot
/// be, never for a message.
pub fn check_history<M: AsRef<[u8]>>(
    messages: impl IntoIterator<Item = M>,
    options: HistoryOptions,
) -> Result<Vec<Finding>, Error> {
    let mut checker = HistoryChecker::new(options)?;
    let mut found = Vec::new();
    for message in messages {
        found.extend(checker.add(message.as_ref(), None));
    }
    found.extend(checker.close());
    found.sort_by_key(|finding| position(&finding.pointer));
    Ok(found)
}

/// Checks a history message by message, in memory that does not grow with the history.
///
/// What is kept: the open calls, the results whose call has not come, and the ids of the last
/// `remember` to `2 * remember` answered calls. A second result is always an error; once its call
/// is forgotten, it is an orphan. So it is with requests for approval: those that nobody has answered
/// are kept, of the others the ids of the last ones.
pub struct HistoryChecker {
    ongoing: bool,
    kinds: Kinds,
    answered: RecentKeys,
    decided: RecentKeys,
    runs: HashMap<String, RunState>,
    index: usize,
}

impl HistoryChecker {
    /// Returns a checker of one history; fails for a `remember` of 0.
    pub fn new(options: HistoryOptions) -> Result<Self, Error> {
        if options.remember == Some(0) {
            let message = "remember is a number of answered calls";
            let expected = "an integer of at least 1, or none";
            return Err(Error::argument(message, expected, &Value::from(0)));
        }
        Ok(Self {
            ongoing: options.ongoing,
            kinds: allowed_kinds(options.version)?,
            answered: RecentKeys::new(options.remember),
            decided: RecentKeys::new(options.remember),
            runs: HashMap::new(),
            index: 0,
        })
    }

    /// Takes the next message, and returns what it shows to be wrong, so far.
    ///
    /// What is not a message is reported and counted, and has no effect. `line` is its line in a
    /// file, for the findings.
    pub fn add(&mut self, message: &[u8], line: Option<usize>) -> Vec<Finding> {
        let index = self.index;
        self.index += 1;
        let placed = |mut finding: Finding| {
            finding.pointer.insert_str(0, &format!("/{index}"));
            finding.line = line;
            finding
        };
        let (message, notes) = match read_message(message) {
            Ok(read) => read,
            Err(found) => return found.into_iter().map(placed).collect(),
        };
        let mut found: Vec<Finding> = notes.into_iter().map(placed).collect();
        let (run_id, role) = (&message.run_id, message.role.as_str());
        if message.parts.is_empty() {
            self.hear(run_id, role);
        }
        for (part, each) in message.parts.iter().enumerate() {
            let place = Place { message: index, part, line };
            found.extend(self.misplaced(each, role, place));
            match each {
                MessagePart::ToolCall(part) => {
                    let key = (part.payload.tool_call_id.clone(), false);
                    self.call(run_id, key, place, &mut found);
                }
                MessagePart::ServerToolCall(part) => {
                    let key = (part.payload.tool_call_id.clone(), true);
                    self.call(run_id, key, place, &mut found);
                }
                MessagePart::ToolResult(part) => {
                    let payload = &part.payload;
                    let said =
                        (payload.outcome.as_ref().map_or("", Outcome::as_str), payload.is_error);
                    let key = (payload.tool_call_id.clone(), false);
                    self.result(run_id, key, said, place, &mut found);
                }
                MessagePart::ServerToolResult(part) => {
                    let payload = &part.payload;
                    let said =
                        (payload.outcome.as_ref().map_or("", Outcome::as_str), payload.is_error);
                    let key = (payload.tool_call_id.clone(), true);
                    self.result(run_id, key, said, place, &mut found);
                }
                MessagePart::ApprovalRequest(part) => {
                    found.extend(self.request(run_id, &part.payload, place));
                }
                MessagePart::ApprovalResponse(part) => {
                    self.response(run_id, &part.payload, place, &mut found);
                }
                _ => self.hear(run_id, role),
            }
        }
        if self.runs.get(run_id).is_some_and(RunState::is_settled) {
            self.runs.remove(run_id);
        }
        found
    }

    /// Returns what only the end shows: unanswered calls and results without call, in document
    /// order. The checker is as new afterwards.
    pub fn close(&mut self) -> Vec<Finding> {
        let mut found: Vec<(Place, Finding)> = Vec::new();
        for run in self.runs.values() {
            found.extend(run.early_results().map(|(id, place)| (place, orphan(id, place))));
            let open = run.unanswered(self.ongoing);
            found.extend(open.map(|(key, place)| (place, unanswered(key, place))));
        }
        self.runs.clear();
        self.answered.clear();
        self.decided.clear();
        self.index = 0;
        found.sort_by_key(|(place, _)| (place.message, place.part));
        found.into_iter().map(|(_, finding)| finding).collect()
    }

    fn hear(&mut self, run_id: &str, role: &str) {
        if let Some(run) = self.runs.get_mut(run_id) {
            run.turns.hear(role);
        }
    }

    fn run(&mut self, run_id: &str) -> &mut RunState {
        self.runs.entry(run_id.to_owned()).or_insert_with(RunState::new)
    }

    fn misplaced(&self, part: &MessagePart, role: &str, place: Place) -> Option<Finding> {
        if matches!(part, MessagePart::Unknown(_)) {
            return None; // it is not judged
        }
        if !is_misplaced(&self.kinds, role, part.tag()) {
            return None;
        }
        let mut sorted = self.kinds.get(role).cloned().unwrap_or_default();
        sorted.sort();
        let pointer = place.to("/kind");
        let message = format!("Not allowed in a message of role {role}");
        let finding = Finding::error("history/role-part-kind", &pointer, &message)
            .expected(sorted.join(", "))
            .actual(clip_text(part.tag()));
        Some(Finding { line: place.line, ..finding })
    }

    fn is_answered(&self, run_id: &str, id: &str) -> bool {
        [false, true].iter().any(|is_server| self.answered.has(run_id, &slot(id, *is_server)))
    }

    fn call(&mut self, run_id: &str, key: CallKey, place: Place, found: &mut Vec<Finding>) {
        let id = key.0.clone();
        let has_answer = self.is_answered(run_id, &id);
        let run = self.run(run_id);
        run.turns.hear("assistant"); // whatever the role of the message
        if let Some((_, first)) = run.open_of(&id) {
            let message = format!("The call at {} is still open", first.pointer());
            found.push(duplicate_call(&id, place, &message));
        } else if has_answer {
            // Its results must be distinguished from those of the first one: it is open again.
            found.push(duplicate_call(&id, place, "An earlier call of the run is answered"));
        }
        if run.is_open(&key) {
            return;
        }
        let early = run.open_call(key, place);
        let message = format!("The call comes later, at {}", place.pointer());
        let rule = "history/result-before-call";
        let before = early.into_iter();
        found.extend(
            before.map(|each| finding(rule, &message, &id, each, "a result after its call")),
        );
    }

    /// Takes a result that says an outcome, or nothing, and whether it is an error.
    fn result(
        &mut self,
        run_id: &str,
        key: CallKey,
        (outcome, is_error): (&str, bool),
        place: Place,
        found: &mut Vec<Finding>,
    ) {
        let id = key.0.clone();
        let remembered = slot(&id, key.1);
        let has_answer = self.answered.has(run_id, &remembered);
        let run = self.run(run_id);
        match run.answer(&key) {
            Some(how) => {
                match how {
                    Answer::InTime => {}
                    Answer::OutOfOrder => found.push(out_of_order(&id, place)),
                    Answer::Late => found.push(late(&id, place)),
                }
                if run.take_unapproved(&key) && !matches!(outcome, "denied" | "interrupted") {
                    found.push(unapproved(&id, place));
                }
                self.answered.add(run_id, &remembered);
            }
            None if has_answer => {
                let rule = "history/duplicate-tool-result";
                let message = "The call has a result already";
                found.push(finding(rule, message, &id, place, "one result"));
            }
            None => run.hold(key, place),
        }
        let fails = matches!(outcome, "error" | "denied" | "interrupted" | "timeout");
        if if is_error { outcome == "success" } else { fails } {
            found.push(contradiction(place, outcome, is_error));
        }
    }

    fn request(&mut self, run_id: &str, asked: &ApprovalRequest, place: Place) -> Option<Finding> {
        let (approval_id, call_id) = (&asked.approval_id, &asked.tool_call_id);
        let has_answer = self.is_answered(run_id, call_id);
        let is_decided = self.decided.has(run_id, approval_id);
        let run = self.run(run_id);
        if is_decided || run.asked(approval_id).is_some() {
            return Some(duplicate_approval(approval_id, place));
        }
        let key = match run.open_of(call_id) {
            Some((key, _)) => key,
            None if has_answer => (call_id.clone(), false),
            None => {
                let message = "No call before it in the run has this id";
                return Some(orphan_approval(call_id, place, "/payload/toolCallId", message));
            }
        };
        let choices = asked.choices.iter().flatten().map(|each| each.id.clone()).collect();
        run.ask(approval_id, Request { key, choices });
        None
    }

    fn response(
        &mut self,
        run_id: &str,
        answer: &ApprovalResponse,
        place: Place,
        found: &mut Vec<Finding>,
    ) {
        let (approval_id, call_id) = (&answer.approval_id, &answer.tool_call_id);
        let is_decided = self.decided.has(run_id, approval_id);
        let run = self.run(run_id);
        match run.asked(approval_id).cloned() {
            None if is_decided => found.push(duplicate_approval(approval_id, place)),
            None => {
                let message = "No request before it in the run has this id";
                found.push(orphan_approval(approval_id, place, "/payload/approvalId", message));
            }
            // Else a yes to one call would let another one run.
            Some(request) if request.key.0 != *call_id => {
                let asked = clip_text(&request.key.0);
                let message = format!("The request of this id is about the call {asked}");
                found.push(orphan_approval(call_id, place, "/payload/toolCallId", &message));
            }
            Some(request) => {
                run.decide(approval_id, answer.decision == ApprovalDecision::Approved);
                self.decided.add(run_id, approval_id);
                found.extend(unknown_decision(&answer.decision, place));
                found.extend(unknown_choice(answer.choice.as_deref(), &request.choices, place));
            }
        }
    }
}

/// Returns what an answered call is remembered by.
fn slot(id: &str, is_server: bool) -> String {
    format!("{}{id}", if is_server { "server:" } else { "client:" })
}

fn finding(rule: &str, message: &str, id: &str, place: Place, expected: &str) -> Finding {
    finding_at(rule, message, id, place, "/payload/toolCallId", expected)
}

fn finding_at(
    rule: &str,
    message: &str,
    actual: &str,
    place: Place,
    member: &str,
    expected: &str,
) -> Finding {
    let made = Finding::of(rule, &place.to(member), message);
    Finding { line: place.line, ..made.expected(expected).actual(clip_text(actual)) }
}

fn duplicate_call(id: &str, place: Place, message: &str) -> Finding {
    let expected = "an id that no other call of the run has";
    finding("history/duplicate-tool-call", message, id, place, expected)
}

fn orphan(id: &str, place: Place) -> Finding {
    let message = "No call of the run has this id";
    let expected = "the id of an earlier call";
    finding("history/orphan-tool-result", message, id, place, expected)
}

fn unanswered((id, is_server): &CallKey, place: Place) -> Finding {
    let (rule, expected) = if *is_server {
        ("history/unanswered-server-call", "a server_tool_result of this id")
    } else {
        ("history/unanswered-tool-call", "a tool_result of this id")
    };
    finding(rule, "The call has no result", id, place, expected)
}

fn duplicate_approval(id: &str, place: Place) -> Finding {
    let message = "The approval has its request, or its answer, already";
    let rule = "history/duplicate-approval";
    finding_at(rule, message, id, place, "/payload/approvalId", "one request and one answer")
}

fn orphan_approval(id: &str, place: Place, member: &str, message: &str) -> Finding {
    let expected = "a request for a call before it, or an answer to such a request";
    finding_at("history/orphan-approval", message, id, place, member, expected)
}

fn unknown_decision(decision: &ApprovalDecision, place: Place) -> Option<Finding> {
    let known = [ApprovalDecision::Approved, ApprovalDecision::Denied];
    if known.contains(decision) {
        return None;
    }
    let message = "Not a known decision: the call is not approved";
    let (rule, member) = ("history/unknown-decision", "/payload/decision");
    let expected = known.map(|each| each.as_str().to_owned()).join(" or ");
    Some(finding_at(rule, message, decision.as_str(), place, member, &expected))
}

fn unknown_choice(choice: Option<&str>, choices: &[String], place: Place) -> Option<Finding> {
    let choice = choice.filter(|choice| !choices.iter().any(|each| each == choice))?;
    let message = "The request of this id does not offer this choice";
    let expected = if choices.is_empty() {
        "no choice: the request offers none".to_owned()
    } else {
        choices.iter().map(|each| clip_text(each)).collect::<Vec<_>>().join(" or ")
    };
    let rule = "history/unknown-choice";
    Some(finding_at(rule, message, choice, place, "/payload/choice", &expected))
}

fn unapproved(id: &str, place: Place) -> Finding {
    let message = "The call waits for an approval, and has a result";
    let expected = "an approval before it, or an outcome denied or interrupted";
    finding("history/unapproved-result", message, id, place, expected)
}

fn contradiction(place: Place, outcome: &str, is_error: bool) -> Finding {
    let message = format!("Contradicts isError, which is {is_error}");
    let expected =
        if is_error { "an outcome of a failure" } else { "success, or an outcome that may be one" };
    let rule = "history/outcome-contradicts";
    finding_at(rule, &message, outcome, place, "/payload/outcome", expected)
}

fn out_of_order(id: &str, place: Place) -> Finding {
    let message = "The result stands behind one of a later call of its turn";
    let expected = "results in the order of their calls";
    finding("history/result-order", message, id, place, expected)
}

fn late(id: &str, place: Place) -> Finding {
    let message = "The run went on before the call had its result";
    let expected = "the result directly behind the turn of its call";
    finding("history/late-tool-result", message, id, place, expected)
}
