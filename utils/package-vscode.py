#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages the extension for VS Code, without a network.

  utils/package-vscode.py FILE.vsix

A .vsix is a zip with a manifest beside the folder of the extension. Files have one date,
so the same sources make the same bytes.
"""

import argparse
import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import quoteattr

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "tools/pallas-lsp-server/vscode"
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="json" ContentType="application/json"/>
  <Default Extension="vsixmanifest" ContentType="text/xml"/>
</Types>
"""
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
    <DisplayName>{title}</DisplayName>
    <Description>{about}</Description>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionDependencies" Value={needs}/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets>
</PackageManifest>
"""


def package(path):
  about = json.loads((EXTENSION / "package.json").read_text())
  manifest = MANIFEST.format(
      name=quoteattr(about["name"]), version=quoteattr(about["version"]), publisher=quoteattr(about["publisher"]), title=about["displayName"],
      about=about["description"], engine=quoteattr(about["engines"]["vscode"]), needs=quoteattr(",".join(about["extensionDependencies"])))
  files = {"[Content_Types].xml": TYPES, "extension.vsixmanifest": manifest}
  for source in sorted(EXTENSION.rglob("*")):
    if source.is_file():
      if source.suffix == ".json":
        json.loads(source.read_text())
      files[f"extension/{source.relative_to(EXTENSION).as_posix()}"] = source.read_text()
  with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, text in files.items():
      archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("file", help="where to put the package")
  options = parser.parse_args()
  try:
    package(options.file)
  except (OSError, ValueError, KeyError) as error:
    sys.exit(f"package-vscode: {error}")


if __name__ == "__main__":
  main()
