"""The API: one class an operation, JSON in and out, every refusal a problem document."""
