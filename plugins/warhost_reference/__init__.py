"""The quick reference sheet, made from the rules in force: for the table, in Markdown or as a page that prints.

    print(as_markdown(Sheet.of(rules)))
"""
