"""The battle report: one self-contained HTML file with a picture of the table after every phase.

report = Report(battle)
battle.run()
report.write("battle.html")
"""

from warhost.report.report import Report

__all__ = ["Report"]
