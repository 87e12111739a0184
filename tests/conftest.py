"""What holds for all tests: hypothesis draws the same examples every time, and no clock decides.

    pytest --hypothesis-profile=seek

draws others instead, to look for what nobody has thought of.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "same", deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
settings.register_profile("seek", settings.get_profile("same"), derandomize=False)
settings.load_profile("same")
