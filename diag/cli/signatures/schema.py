"""diag signatures schema: the JSON Schema of a signature file."""

import json

import click

from diag.catalog.schema import SignatureFile


@click.command(name="schema")
def command() -> None:
    """Print the JSON Schema of signatures/<area>/<id>.toml, for editors that complete and check TOML."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **SignatureFile.model_json_schema()}
    click.echo(json.dumps(schema, indent=2))
