"""A language server for rulesets: what editors show while somebody writes rules (docs/editors.md).

It speaks the Language Server Protocol by pygls (`pip install warhost[lsp]`), and stands on what is public of the
library: `Project` reads and checks, `meanings` says what names mean, `explain` says it in sentences. homes.py finds the
ruleset that a file belongs to, state.py holds what is known of it, the others answer one sort of question each, in
lines and columns from 1; server.py alone knows the protocol.
"""
