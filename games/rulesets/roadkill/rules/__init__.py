"""The rules, one module a chapter (or half a chapter), one function a rule number."""
