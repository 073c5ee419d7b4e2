using System.Globalization;
using Geo.HealthChecks;

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
    public void Whether_a_region_is_ready_is_waited_for_longer_than_its_stores_are()
    {
        var probe = DeployFiles.Read("kubernetes/base/region.yaml").Split('\n')
            .Single(line => line.Contains("readinessProbe:", StringComparison.Ordinal));

        Assert.Contains("path: /ready,", probe, StringComparison.Ordinal);
        var seconds = int.Parse(probe.Split("timeoutSeconds: ")[1].Split(' ', ',')[0], CultureInfo.InvariantCulture);
        Assert.True(TimeSpan.FromSeconds(seconds) > new GeoHealthOptions().StoreTimeout);
    }

    [Theory]
    [InlineData("us", "eu")]
    [InlineData("eu", "us")]
    public void A_region_is_linked_with_whether_it_is_ready_or_not(string region, string other)
    {
        var geo = DeployFiles.Read("kubernetes/base/region.yaml").Split("\n---\n")
            .Single(document => document.Contains("kind: Service", StringComparison.Ordinal)
                && document.Contains("port: 7300", StringComparison.Ordinal));
        var settings = DeployFiles.Read($"kubernetes/{region}/kustomization.yaml");

        Assert.Contains("publishNotReadyAddresses: true", geo, StringComparison.Ordinal);
        Assert.Contains("name: webshop-geo", geo, StringComparison.Ordinal);
        Assert.Contains($"=webshop-geo.{other}.svc.cluster.local:7300", settings, StringComparison.Ordinal);
        Assert.Contains($"HOSTS_{region}=webshop-geo.{region}.svc.cluster.local ", settings, StringComparison.Ordinal);
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
    public async Task All_that_the_pages_and_the_comments_of_deploy_have_typed_can_be_read_by_a_shell()
    {
        Assert.SkipUnless(DeployFiles.Has("sh"), "There is no shell.");
        var texts = DeployFiles.ShellTexts().ToArray();
        string[] files = ["certificates.sh", "compose.yaml", "kubernetes/eu/kustomization.yaml", "kubernetes/us/kustomization.yaml"];
        Assert.Empty(files.Select(file => $"deploy/{file}").Append("docs/operations.md").Except(texts.Select(text => text.Where)));

        foreach (var (where, script) in texts)
        {
            var (code, output) = await DeployFiles.RunAsync("sh", "-n", "-c", script);
            Assert.True(code == 0, $"{where}: {output}{script}");
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
