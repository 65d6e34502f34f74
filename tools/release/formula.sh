#!/usr/bin/env bash
# Prints the Homebrew formula of a tag of the repository: formula.sh vX.Y.Z. The address is the module's path, which
# make publish-as gives. It goes into the folder Formula of a tap.
set -euo pipefail
cd "$(dirname "$0")/../.."
tag=${1:?formula: name a tag: formula.sh vX.Y.Z}
module=$(go list -m)
[[ $module == *.*/*/* ]] || {
	echo "formula: $module is no address: give one first: make publish-as MODULE=host/owner/name" >&2
	exit 1
}
commit=$(git rev-parse --verify --quiet "$tag^{commit}") || { echo "formula: there is no tag $tag" >&2; exit 1; }
cat <<END
class Repro < Formula
  desc "Compares words and texts by their contexts, with optimal transport"
  homepage "https://$module"
  url "https://$module.git", tag: "$tag", revision: "$commit"
  license "BSD-3-Clause"
  head "https://$module.git", branch: "main"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    system "go", "build", "-buildvcs=true", *std_go_args(ldflags: "-s -w"), "./experiments/repro"
    system bin/"repro", "man", "man1"
    man1.install Dir["man1/*.1"]
    generate_completions_from_executable(bin/"repro", "completion")
  end

  test do
    assert_match "rhinoceros", shell_output("#{bin}/repro neighbours elephant")
  end
end
END
