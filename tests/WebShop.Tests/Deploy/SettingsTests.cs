using System.Text.RegularExpressions;
using Geo;
using Geo.Administration;
using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace WebShop.Tests.Deploy;

public sealed partial class SettingsTests
{
    [Theory]
    [InlineData("compose.yaml", 12)]
    [InlineData("kubernetes/base/region.yaml kubernetes/us/kustomization.yaml", 9)]
    [InlineData("kubernetes/base/region.yaml kubernetes/eu/kustomization.yaml", 9)]
    [InlineData("two-regions.sh", 7)]
    public async Task Every_setting_is_one_that_a_region_takes(string files, int least)
    {
        var settings = files.Split(' ').SelectMany(file => Setting().Matches(DeployFiles.Read(file)))
            .Select(match => (Key: match.Groups[1].Value.Replace("__", ":", StringComparison.Ordinal), Value: match.Groups[2].Value))
            .Select(setting => (Key: Variable().Replace(setting.Key, "eu"), Value: Variable().Replace(setting.Value, "us").Trim('\'')))
            .Where(setting => !setting.Key.EndsWith(":ConnectionString", StringComparison.Ordinal) || setting.Value.Contains('='))
            .GroupBy(setting => setting.Key).Select(setting => setting.First()).ToArray();
        Assert.True(settings.Length >= least, $"Only {settings.Length} settings were found.");
        if (!settings.Any(setting => setting.Key.StartsWith("Geo:Stores:Default:", StringComparison.Ordinal)
            && setting.Key.EndsWith("Path", StringComparison.Ordinal)))
        {
            settings = [.. settings, ("Geo:Stores:Default:ConnectionString", "Host=x")];
        }

        // The operator's, of a length that the endpoint takes.
        settings = [.. settings.Select(setting => setting with { Value = setting.Key == "Admin:Key" ? new('k', 64) : setting.Value })];

        await Take(settings);
    }

    [Fact]
    public Task A_setting_that_is_misspelt_is_noticed() => Assert.ThrowsAsync<GeoConfigurationException>(
        () => Take([("Geo:ClusterId", "us"), ("Geo:Tls:CertificatePath", "us.crt"), ("Geo:Stores:Default:Path", "shop.db")]));

    [Fact]
    public Task A_misspelt_setting_of_the_endpoint_is_noticed() => Assert.ThrowsAsync<InvalidOperationException>(() => Take([
        ("Geo:ClusterId", "us"), ("Geo:Stores:Default:Path", "shop.db"), ("Admin:Key", new('k', 64)), ("Admin:Port", "7400")]));

    [Fact]
    public Task An_endpoint_beyond_its_machine_without_a_certificate_is_noticed() => Assert.ThrowsAsync<GeoConfigurationException>(
        () => Take([
            ("Geo:ClusterId", "us"), ("Geo:Stores:Default:Path", "shop.db"), ("Admin:Key", new('k', 64)),
            ("Admin:ListenOn", "0.0.0.0:7400")]));

    private static async Task Take(IEnumerable<(string Key, string Value)> settings)
    {
        // Made, not started: the section is read, the store's options are checked, and nothing is opened.
        await using var region = Region.Create(
            [.. settings.GroupBy(setting => setting.Key).Select(one => $"--{one.Key}={one.First().Value}")]);
        Assert.NotEqual("", region.Services.GetRequiredService<IOptions<GeoEmbeddedOptions>>().Value.ClusterId);
        if (region.Configuration["Admin:Key"] is not null)
        {
            Assert.NotEqual("", region.Services.GetRequiredService<IOptions<GeoAdministrationOptions>>().Value.ListenOn);
        }
    }

    // KEY: value, - KEY=value, { name: KEY, value: value } and --KEY=value.
    [GeneratedRegex("""((?:Geo|Admin)(?:__|:)[A-Za-z_:0-9"$]*[A-Za-z0-9])(?:: |=|, value: )"?([^"}\s]+)""")]
    private static partial Regex Setting();

    [GeneratedRegex("""["]?\$\{?\w+(?::\?[^}]*\})?\}?["]?""")]
    private static partial Regex Variable();
}
