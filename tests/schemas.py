"""What is not as a JSON schema has it."""

from jsonschema.validators import validator_for


def faults(value, schema):
    """['$.tests[2].score: ...'], sorted."""
    kind = validator_for(schema)
    kind.check_schema(schema)
    errors = kind(schema).iter_errors(value)
    return sorted(f"{error.json_path}: {error.message}" for error in errors)
