"""The rules language: parser, checker, intermediate form and back ends."""

#: Raised when the meaning of the language changes: digests of rulesets and caches depend on it.
LANGUAGE_VERSION = "1"
