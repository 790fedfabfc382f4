"""Mail: messages, their parts, and the way out."""
