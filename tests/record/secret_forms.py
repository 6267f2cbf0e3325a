"""Texts with a secret in them, made from a table: services and names, each in every place where people put them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anyhook.guards.secret_patterns import HIDDEN, TOKENS
from tests.guards.secret_tables import secret_shapes

ANYWHERE = {
    "env line": "APP_MODE=on\n{name}={secret}\nAPP_DIR=src\n",
    "export": "export {name}={secret} && make",
    "json": '{{"a": 1, "{name}": "{secret}", "b": 2}}',
    "json in json": '{{\\"{name}\\": \\"{secret}\\"}}',
    "yaml": "app:\n  {name}: {secret}\n  size: 3\n",
    "yaml quoted": "app:\n  - {name}: '{secret}'\n",
    "header": "curl -H 'X-{header}: {secret}' https://shop.test/",
    "url": "https://ada:{secret}@shop.test/a",
    "query": "https://shop.test/a?b=1&{name}={secret}&c=2",
    "option": "run --{option} {secret} --verbose",
    "option with =": "run --{option}={secret} --verbose",
    "netrc": "machine shop.test\n  login ada\n  password {secret}\nmachine x\n",
    "xml": "<app><{tag}>{secret}</{tag}></app>",
    "xml attribute": '<add key="{name}" value="{secret}" />',
    "dockerfile": "FROM a\nENV {name} {secret}\nRUN b\n",
    "next line": "{name}:\n  {secret}\nsize: 3\n",
    "block": "{name}: |\n  {secret}\nsize: 3\n",
    "kubernetes": "- name: {name}\n  value: {secret}\n",
    "python": 'os.environ["{name}"] = "{secret}"\n',
    "toml": '{name} = "{secret}"\n',
    "line continued": "run --{option} \\\n  {secret} \\\n  --verbose",
}
BARE = {
    "alone": "{secret}",
    "in a sentence": "use {secret} for that.",
    "in a list": '["a", "{secret}"]',
    "under a harmless name": "app:\n  setting: {secret}\n",
    "output": "ok\n{secret}\n",
    "escaped line": "a\\n{secret}\\nb",
}
"""Where only the form of a secret tells what it is."""
NAMES = (
    "PGPASSWORD", "DB_PASS", "MYSQL_PWD", "API_TOKEN", "SECRET_KEY", "CLIENT_SECRET", "REDIS_PASSWORD", "AUTH_TOKEN",
    "accessToken", "apiKey", "db_password", "SMTP_PASSWD", "GITHUB_PAT", "userPass", "SESSION_SECRET", "ENCRYPTION_KEY",
    "RESTIC_PASSWORD", "VAULT_TOKEN", "privateKey", "BORG_PASSPHRASE", "ldap_bindpw", "appSecret", "JWT_SECRET", "creds",  # noqa: E501
    "SIGNING_KEY", "refresh_token",
)  # fmt: skip
VALUES = ("hunter2-Xy", "s3cr3tValue99")
COMMANDS = (
    "mysql -u root -p{secret} shop", "mysqldump -h db -p{secret} shop > out.sql", "mysqladmin -uroot -p'{secret}' status",  # noqa: E501
    "mariadb --host db -p{secret}", "sshpass -p {secret} ssh ada@shop.test", "sshpass -p'{secret}' scp a b:",
    "docker login -u ada -p {secret} shop.test", "podman login -p {secret} -u ada", "helm registry login -u a -p {secret} x",  # noqa: E501
    "az login --service-principal -u a -p {secret}", "oc login -u ada -p {secret}", "mongosh -u ada -p {secret} db",
    "redis-cli -h cache -a {secret} ping", "ldapsearch -D cn=a -w {secret} -b dc=b", "sqlcmd -S db -U sa -P {secret} -Q x",  # noqa: E501
    "zip -P {secret} a.zip a", "unzip -P {secret} a.zip", "7z x -p{secret} a.7z", "curl -u ada:{secret} https://shop.test",
    "curl --user 'ada:{secret}' https://shop.test", "curl --proxy-user ada:{secret} x", "smbclient -U ada%{secret} //a/b",  # noqa: E501
    "openssl enc -k {secret} -in a", "openssl rsa -passin pass:{secret} -in a", "xfreerdp /u:ada /p:{secret} /v:host",
    "keytool -list -storepass {secret}", "htpasswd -bc users ada {secret}", "rabbitmqctl add_user ada {secret}",
    "rabbitmqctl change_password ada {secret}", "wget --password={secret} https://shop.test",
    "CREATE USER ada IDENTIFIED BY '{secret}';", "CREATE ROLE ada WITH LOGIN PASSWORD '{secret}';",
    "ALTER USER ada PASSWORD '{secret}';", "db.test:5432:shop:ada:{secret}", "Server=db;User Id=sa;Password={secret};",
    "DefaultEndpointsProtocol=https;AccountKey={secret};", "npm config set //registry.test/:_authToken {secret}",
    "//registry.test/:_authToken={secret}", "aws configure set aws_secret_access_key {secret}", "setenv API_TOKEN {secret}",  # noqa: E501
    "set -gx API_TOKEN {secret}", "setx API_TOKEN {secret}", "git config shop.token {secret}",
    "kubectl create secret generic a --from-literal=password={secret}", "helm install a b --set db.password={secret}",
    "kubectl create secret generic a --from-literal=b={secret}", "kubectl create secret generic a --from-literal 'b={secret}'",  # noqa: E501
    "chpasswd <<< root:{secret}", "sudo chpasswd -e <<< 'root:{secret}'", "echo root:{secret} | sudo chpasswd",
    "nmcli dev wifi connect home password {secret}", "nmcli con mod a wifi-sec.psk '{secret}'", "wpa_passphrase home {secret}",  # noqa: E501
    "net use x: {secret}", "net use x: \\\\srv\\a {secret} /user:ada", "net use \\\\srv\\a {secret}", "run\n--token\n{secret}\n--all",  # noqa: E501
    "TOKEN\u00a0=\u00a0{secret}", "password\uff1d{secret}", "password\uff1a{secret}", "setenv TOKEN {secret}", "set -x TOKEN {secret}",  # noqa: E501
    "docker run -e PGPASSWORD={secret} db", "java -Ddb.password={secret} -jar a.jar", "the password is {secret}",
    "echo '{secret}' | docker login --password-stdin && docker login -p {secret}",
    "<key>token</key>\n<string>{secret}</string>", '<property name="password">{secret}</property>',
    '<property name="db.password" value="{secret}"/>', "<password><![CDATA[{secret}]]></password>",
    "define('DB_PASSWORD', '{secret}');", '"args": ["--password", "{secret}"]', "X-Vault-Token: {secret}",
    "PRIVATE-TOKEN: {secret}", "Authorization: token {secret}", "Set-Cookie: id={secret}; Path=/",
    "postgres://ada:{secret}@db:5432/shop", "redis://:{secret}@cache:6379/0", "amqp://a:{secret}@mq//", "token := \"{secret}\"",  # noqa: E501
    "\"token\" => \"{secret}\"", "machine shop.test login ada password {secret}", "default login ada password {secret}",
    "ARG NPM_TOKEN={secret}", "ENV A=b API_TOKEN={secret}", "password: \"{secret}\" # comment", "DB_PASS={secret}&x,y",
)  # fmt: skip
KEY_BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu"  # noqa: E501
OTHER = (
    ('{{"auths": {{"shop.test": {{"auth": "{secret}"}}}}}}', "YWRhOnNlY3JldA=="),
    ("_auth = {secret}", "YWRhOnNlY3JldA=="),
    ("head\n{secret}\n-----END PRIVATE KEY-----\ntail", KEY_BODY),
    ("head\\n{secret}\\n-----END RSA PRIVATE KEY-----\\ntail", KEY_BODY.replace("\n", "\\n")),
    ("-----BEGIN EC PRIVATE KEY-----\n{secret}\n-----END EC PRIVATE KEY-----", KEY_BODY),
    ("-----BEGIN PRIVATE KEY-----\n{secret}", KEY_BODY),
    ("head {secret} tail", KEY_BODY.replace("\n", "")),
    ("head\n{secret}\ntail", KEY_BODY),
    ("key MIIEpAIBAAKCAQEA{secret}", "u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun"),
    ("{secret}", "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2"),
    ("password: {secret}\nuser: ada\n", "swordfish"),
    ("MAILGUN={secret}\n", "8f3kd92kslw02kf83jd72ks"),
    ("OPENAI_KEY={secret}\n", "8f3kd92kslw02kf83jd72ks"),
    ("a=1\nSETTING={secret}\n", "Zk3vQ9xT7bLm2Rw8Yp4N"),
    ("Bearer {secret}", "abcdefghijklmnopqrstuvwxyzab"),
    ("$ cat shop/.env\nLOGIN={secret}\n", "open-sesame"),
    ("cat .env.local\n  1\tLOGIN={secret}\n", "open-sesame"),
)


class Form(NamedTuple):
    what: str
    text: str
    secret: str


def forms() -> Iterator[Form]:
    """Every form."""
    secrets = {row.pattern: row.text for row in reversed(secret_shapes()) if row.left == HIDDEN}
    for token in TOKENS:
        for text in (*ANYWHERE.values(), *BARE.values()):
            yield _form(token.name, text, "SETTING", secrets[token.name])
    for name in NAMES:
        for value in VALUES:
            for text in ANYWHERE.values():
                yield _form(name, text, name, value)
    for value in VALUES:
        for text in COMMANDS:
            yield _form("commands and files", text, "", value)
    for text, secret in OTHER:
        yield _form("others", text, "", secret)


def _form(what: str, text: str, name: str, secret: str) -> Form:
    option = name.replace("_", "-").lower() if name.isupper() else name
    header = "-".join(part.capitalize() for part in option.split("-"))
    return Form(what, text.format(name=name, option=option, header=header, tag=option, secret=secret), secret)
