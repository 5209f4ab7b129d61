"""Further spellings of credentials: ``{}`` is where the secret is; and texts that hold none."""

from __future__ import annotations

RANDOM = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2dF4hJ6kL8n"
HEX = "0123456789abcdef0123456789abcdef"
PEM = "-----BEGIN {kind}-----{end}{body}{end}{body}=={end}-----END {kind}-----"


def _pem(kind: str, end: str) -> str:
    return PEM.format(kind=kind, end=end, body="{}")


OF_RANDOM = {
    "claude-oauth": "sk-ant-oat01-{}",
    "langsmith": "lsv2_pt_{}_0123456789",
    "tavily": "tvly-dev-{}",
    "jina": "jina_{}",
    "voyage": "pa-{}",
    "vercel-gateway": "vck_{}",
    "supabase": "sb_secret_{}",
    "pinecone": "pcsk_{}",
    "vault": "hvs.{}",
    "figma": "figd_{}",
    "notion": "ntn_{}",
    "notion-old": "secret_{}",
    "linear": "lin_api_{}",
    "grafana": "glc_{}",
    "square": "sq0csp-{}",
    "google-client": "GOCSPX-{}",
    "google-refresh": "1//0{}",
    "netlify": "nfp_{}",
    "doppler": "dp.pt.{}",
    "atlassian": "ATATT3xFfGF0{}",
    "slack-config": "xoxe.xoxp-1-{}",
    "slack-hook": "https://hooks.slack.com/services/T01234567/B01234567/{}",
    "discord-hook": "https://discord.com/api/webhooks/123456789012345678/{}",
    "telegram": "https://api.telegram.org/bot123456789:AA{}/getMe",
    "azure-storage": "AccountName=me;AccountKey={}==;EndpointSuffix=core",
    "azure-bus": "SharedAccessKeyName=x;SharedAccessKey={}=",
    "header": "X-Auth-Token: {}",
    "cookie": "Cookie: session={}; path=/",
    "set-cookie": "Set-Cookie: sid={}; HttpOnly",
    "scheme-token": "authorization: Token {}",
    "scheme-none": "Authorization: {}",
    "headers-bytes": "[(b'Authorization', b'Basic {}')]",
    "headers-pairs": "[('x-api-key', '{}')]",
    "secret-str": "api_key=SecretStr('{}')",
    "json-in-json": '{\\"api_key\\":\\"{}\\"}',
    "json-in-json-in-json": '{\\\\\\"api_key\\\\\\":\\\\\\"{}\\\\\\"}',
    "json-escape": "\\u0022sk-{}",
    "url-coded": "api_key%3D{}",
    "url-coded-key": "x%3Dsk-{}",
    "url-coded-query": "%3Ftoken%3D{}",
    "url-coded-header": "Authorization%3A%20Bearer%20{}",
    "bearer-plus": "Bearer+{}",
    "bearer-colon": "bearer: {}",
    "fragment": "/callback#access_token={}",
    "query-key": "https://a.example/v1?key={}",
    "query-code": "https://a.example/cb?code={}",
    "user-alone": "https://{}@git.example/x",
    "pem-crlf": _pem("EC PRIVATE KEY", "\r\n"),
    "pem-escaped": _pem("OPENSSH PRIVATE KEY", "\\n"),
    "pem-crlf-escaped": _pem("ENCRYPTED PRIVATE KEY", "\\r\\n"),
    "pem-one-line": _pem("PRIVATE KEY", " "),
    "pem-coded": _pem("PRIVATE KEY", "%0D%0A").replace(" ", "%20"),
    "pgp": _pem("PGP PRIVATE KEY BLOCK", "\n"),
    "npmrc": "//registry.example/:_authToken={}",
    "constant": "HF_TOKEN={}",
    "jwt-secret": "JWT_SECRET={}",
    "webhook-secret": "webhook_secret: {}",
    "said": "Incorrect API key provided: {}.",
    "xml": "<api-key>{}</api-key>",
    "terminal": "\x1b[1msk-{}\x1b[0m",
    "said-code": "Your API key is `{}`.",
    "bold-colon": "**API key:** {}",
    "bold": "**API key**: {}",
    "html": "<b>API key:</b> <code>{}</code>",
    "code": "api_key: `{}`",
    "cell": "| API key | `{}` | x |",
    "fence": "API key:\n\n```text\n{}\n```",
    "typographic": "api_key: “{}”",
    "full-width": "api_key：{}",
    "environment": "- name: API_KEY\n  value: {}",
    "environment-quoted": '- name: "HF_TOKEN"\n  value: "{}"',
    "pair": '"name":"api_key","value":"{}"',
    "pair-spaced": '{"name": "api_key", "value": "{}"}',
    "pair-in-json": '{\\"key\\": \\"api_key\\", \\"value\\": \\"{}\\"}',
    "pair-xml": '<add key="ApiKey" value="{}"/>',
    "block": "api_key: |\n  {}",
    "block-folded": "api_key: >-\n  {}",
    "setenv": "setenv CO_API_KEY {}",
    "set-fish": "set -gx HF_TOKEN '{}'",
    "dockerfile": "ENV DJANGO_SECRET_KEY_BASE {}",
    "secret-base": "SECRET_KEY_BASE={}",
    "curl": "curl -u user:{} https://a.example",
    "curl-long": "curl -s --user 'me:{}' https://a.example",
}
LETTERS = "bNqLVzGaRkWtYpXcDsFhJmKoQiUeTrSxZw"
OF_LETTERS = {
    "hugging-face": "hf_{}",
    "variable": "MY_KEY={}",
    "variable-token": "CI_TOKEN={}",
    "variable-secret": "MY_SECRET_VALUE={}",
    "variable-yaml": "api_key: {}",
    "bearer-letters": "Bearer {}",
    "bare-letters": "Authorization: {}",
}
SLASHED = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
OF_SLASHED = {
    "aws-variable": "AWS_SECRET_ACCESS_KEY={}",
    "aws-credentials": "aws_secret_access_key = {}",
    "aws-yaml": "- name: AWS_SECRET_ACCESS_KEY\n  value: {}",
}
OF_DIGITS = {
    "password-code": "password: `{}`",
    "password-bold": "**Password:** {}",
    "password-cell": "| 1 | **password** | {} |",
    "password-fence": "Password:\n```\n{}\n```",
    "password-full-width": "password：{}",
    "password-typographic": "password: ‘{}’",
    "password-input": '<input name="password" value="{}">',
}
OF_HEX = {
    "signature-v4": "Authorization: AWS4-HMAC-SHA256 Credential=A/b, Signature={}",
    "digest": 'authorization: Digest username="u", response="{}"',
    "databricks": "dapi{}",
    "mailgun": "key-{}",
    "postman": "PMAK-{}-1",
    "shopify": "shpss_{}",
    "hmac": "/a?shop=x&hmac={}",
}
OF_WORDS = {
    "connection": "Server=x;User Id=y;Password={};",
    "connection-end": "Server=x;Uid=y;Pwd={}",
    "connection-words": "host=h user=u password={} dbname=d",
    "properties": "a=1\ndb.password={}\nb=2",
    "properties-escaped": "a=1\\npassword={}\\nb=2",
    "properties-crlf": "a=1\r\npassword={}\r\nb=2",
    "exported": "\nexport db_password={}\n",
    "form": "grant_type=password&username=me&password={}",
    "mysql": "MYSQL_PWD={} mysql",
    "netrc": "machine h login me password {}",
    "setenv-password": "setenv DB_PASSWORD {}",
    "curl-password": "curl -u user:{} x",
    "redis": "redis://:{}@h:6379/0",
    "url-in-json": "https:\\/\\/me:{}@h\\/x",
    "url-in-url": "?next=https%3A%2F%2Fme%3A{}%40h%2Fx",
}
SPELLINGS = (
    {name: (said.replace("{}", RANDOM), RANDOM) for name, said in OF_RANDOM.items()}
    | {name: (said.replace("{}", HEX), HEX) for name, said in OF_HEX.items()}
    | {name: (said.replace("{}", LETTERS), LETTERS) for name, said in OF_LETTERS.items()}
    | {name: (said.replace("{}", SLASHED), SLASHED) for name, said in OF_SLASHED.items()}
    | {name: (said.replace("{}", "swordfish"), "swordfish") for name, said in OF_WORDS.items()}
    | {name: (said.replace("{}", "hunter22"), "hunter22") for name, said in OF_DIGITS.items()}
    | {"option": ("mysql --password swordfish1", "swordfish1")}
    | {"xml-password": ("<password>swordfish1</password>", "swordfish1")}
)

HARMLESS = (
    "id 550e8400-e29b-41d4-a716-446655440000",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38=",
    "integrity sha512-abc123def456ghi789jkl012==",
    "token count is 5, sig = sign(x), token=5, tokens: 1234567890123456",
    "eyJhbGci is how a JWT begins, eyJoZWxsbyI6IndvcmxkIn0 is its head",
    "page_token = response.next_page_token_2",
    "?page_token=CAUQAA&sort=key&code=404&signature=",
    "Culture=neutral, PublicKeyToken=b03f5f7f11d50a3a",
    "api_key=YOUR_API_KEY and api_key=settings.openai_api_key_2",
    "Authorization: Basic credentials",
    "Authorization: Digest authentication",
    "Bearer authentication per RFC6750",
    "password: string (required), password=None, password='', password: ********",
    "password=user.password1 password=self._password2 password=$PASS1 password=%s",
    "connect(\n    user=name,\n    password=hashed\n)",
    "password = load()\npassword=settings.password\npassword=args.password",
    "pwd=/home/user/x1; cd $(pwd); echo pwd=ok",
    "class=sk-spinner-2-bounce sk-toggleable__control-12",
    "fw_rule_12_chain_3_port_80 pk_user_id_2_fkey_constraint co_await_suspend_12",
    "ASIAPACIFICREGION, AKIA and AIza",
    "Cookie policy: we use cookies; cookie = request.cookies.get(name='a')",
    "git@example.org:a/b.git and https://user@example.org/x",
    "the login form asks for a password twice",
    "x-request-id: req_011CSHoEeqs5C35K2UUqR7Fy",
    "sk-ecdsa-sha2-nistp256, sk-ssh-ed25519@openssh.com, pk_rsaSSA_PSS_SHAKE128",
    "auth_token = base64.b64encode(x), self.token = OAuth2Token.from_dict(y)",
    "secret_santa_2026_list and secret sauce: nothing",
    "echo $password | sha256sum | cut -c1-16",
    "docker run -u 1000:1000 x; curl -u user:password x; curl -u $ME:$PASS x",
    'curl --user-agent "Mozilla/5.0:x" https://a.example:8443/',
    "| password | required | at least 12 characters |",
    "| token | string | The token of request-12 |\n|---|---|---|",
    "setenv TERM xterm-256color; set -x; ENV KEY_FILE /run/keyOfTheAPIServerInProductionNow",
    "api_key: getTheApiKeyOfThisServiceFromTheEnvironmentNow",
    "SECRET_KEY=/run/secrets/keyOfTheAPIServerInProductionNow",
    "hf_hub_download, hf_model_of_the_year_without_any_digit_in_its_name",
    "<b>token</b> is one of a few words; `password`: see below",
)
