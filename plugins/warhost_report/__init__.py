"""The battle report: one self-contained HTML file with a picture of the table after every phase; and rosters.

report = warhost.Report(battle)
battle.run()
report.write("battle.html")
"""
