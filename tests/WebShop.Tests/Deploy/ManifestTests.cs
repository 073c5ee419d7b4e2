using Geo.Processes;

namespace WebShop.Tests.Deploy;

/// <summary>What the comments of the manifests have an operator type, run by a shell with a stand-in for kubectl.</summary>
public sealed class ManifestTests : IDisposable
{
    private const string Kubectl = """
        #!/bin/sh
        for word; do
          case $word in
            --from-file=*|--from-env-file=*) cat "${word##*=}" > /dev/null || exit 1;;
            deploy/kubernetes/*) [ -f "$CHECKOUT/$word/kustomization.yaml" ] || exit 1;;
          esac
        done
        echo "kubectl $*"
        """;

    private const string Editor = """
        #!/bin/sh
        [ -f "$1" ] || echo 'Geo__Stores__Default__ConnectionString=Host=db;Password=secret' > "$1"
        """;

    private readonly TemporaryFolder _folder = new();

    [Fact]
    public async Task Each_region_gets_secrets_of_files_that_there_are_with_one_key_and_no_password_on_a_command_line()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The commands take sh and openssl.");
        Directory.CreateDirectory(_folder.File("deploy"));
        File.Copy(DeployFiles.PathOf("certificates.sh"), _folder.File("deploy/certificates.sh"));
        await AddProgramAsync("kubectl", Kubectl);
        await AddProgramAsync("editor", Editor);

        var us = await RunAsync("us");
        var key = File.ReadAllText(_folder.File("deploy/certificates/geo.key"));
        var eu = await RunAsync("eu");

        Assert.Equal(5, us.Length);
        Assert.Equal(us.Select(command => command.Replace("us", "eu", StringComparison.Ordinal)), eu);
        Assert.Equal(
            ["webshop-certificates", "webshop-store", "webshop-admin"],
            us.Select(command => command.Split(' ')).Where(words => words.Contains("secret")).Select(words => words[6]));
        Assert.DoesNotContain(us.Concat(eu), command => command.Contains("Password", StringComparison.Ordinal)
            || command.Contains("--from-literal", StringComparison.Ordinal));
        Assert.Equal(key, File.ReadAllText(_folder.File("deploy/certificates/geo.key")));
        var mode = OperatingSystem.IsWindows() ? default : File.GetUnixFileMode(_folder.File("deploy/certificates/store.env"));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, mode);
    }

    public void Dispose() => _folder.Dispose();

    // What is typed for a region, in a shell of its own; what kubectl was told.
    private async Task<string[]> RunAsync(string region)
    {
        var typed = Assert.Single(DeployFiles.ShellComments($"kubernetes/{region}/kustomization.yaml"));
        var (code, output) = await DeployFiles.RunAsync(
            "env", $"CHECKOUT={DeployFiles.Root}", $"EDITOR={_folder.File("editor")}", "sh", "-euc",
            $"cd '{_folder.File(".")}'\nPATH=.:$PATH\n{typed}");
        Assert.True(code == 0, output);
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private async Task AddProgramAsync(string name, string text)
    {
        await File.WriteAllTextAsync(_folder.File(name), text, TestContext.Current.CancellationToken);
        await DeployFiles.RunAsync("chmod", "+x", _folder.File(name));
    }
}
