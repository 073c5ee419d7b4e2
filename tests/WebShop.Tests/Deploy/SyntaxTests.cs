namespace WebShop.Tests.Deploy;

public sealed class SyntaxTests
{
    [Fact]
    public async Task Every_yaml_file_can_be_read()
    {
        var (missing, _) = DeployFiles.Has("python3") ? await DeployFiles.RunAsync("python3", "-c", "import yaml") : (1, "");
        Assert.SkipUnless(missing == 0, "Reading YAML takes python3 with PyYAML.");
        string[] files = [.. DeployFiles.Ending(".yaml").Concat(DeployFiles.Ending(".yml")).Select(DeployFiles.PathOf)];

        var (code, output) = await DeployFiles.RunAsync(
            "python3", ["-c", "import sys, yaml\nfor f in sys.argv[1:]: assert all(yaml.safe_load_all(open(f))), f", .. files]);

        Assert.True(code == 0, output);
        Assert.True(files.Length >= 7);
    }

    [Theory]
    [InlineData("us")]
    [InlineData("eu")]
    public async Task The_manifests_of_a_region_fit_together(string region)
    {
        Assert.SkipUnless(DeployFiles.Has("kubectl"), "Putting the manifests together takes kubectl.");

        var (code, output) = await DeployFiles.RunAsync("kubectl", "kustomize", DeployFiles.PathOf($"kubernetes/{region}"));

        Assert.True(code == 0, output);
        Assert.Contains($"namespace: {region}", output, StringComparison.Ordinal);
        Assert.Contains("kind: PodDisruptionBudget", output, StringComparison.Ordinal);
        Assert.Contains($"Geo__ClusterId: {region}", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_script_can_be_read()
    {
        Assert.SkipUnless(DeployFiles.Has("sh"), "There is no shell.");
        foreach (var script in DeployFiles.Ending(".sh"))
        {
            var (code, output) = await DeployFiles.RunAsync("sh", "-n", DeployFiles.PathOf(script));
            Assert.True(code == 0, output);
        }
    }

    [Fact]
    public void The_container_is_built_from_what_there_is()
    {
        var file = DeployFiles.Read("Containerfile");

        Assert.Contains("dotnet publish samples/WebShop ", file, StringComparison.Ordinal);
        Assert.Contains($"\"{typeof(Region).Assembly.GetName().Name}.dll\"", file, StringComparison.Ordinal);
    }
}
