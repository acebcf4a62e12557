"""Lit configuration of the GoogleTest programs."""

import os

import lit.formats

config.name = "PALLAS-Unit"
config.suffixes = []
config.test_exec_root = os.path.join(config.pallas_obj_root, "test", "Unit")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
