using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Geo.Processes;
using Geo.Testing.Wan;
using Microsoft.AspNetCore.Builder;

namespace WebShop.Tests.Deploy;

/// <summary>The endpoint of the tool, as <c>deploy</c> switches it on and the runbook asks it.</summary>
public sealed partial class AdminTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly TemporaryFolder _folder = new();

    private static string Exports => DeployFiles.RunbookBlock("export GEO_AUTHORITY");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("us")]
    [InlineData("eu")]
    public void A_region_of_the_compose_file_has_an_endpoint_where_the_runbook_asks_it_with_the_key_that_it_asks_with(string region)
    {
        var settings = DeployFiles.ComposeSettings(region);
        var port = PortOf(settings["Admin:ListenOn"]);

        Assert.Equal(3, new[] { port, PortOf(settings["Geo:ListenOn"]), PortOf(settings["Urls"]) }.Distinct().Count());
        Assert.StartsWith("${GEO_KEY:?", settings["Admin:Key"], StringComparison.Ordinal);
        var published = Regex.Match(DeployFiles.ComposeService(region), $@"""127\.0\.0\.1:(\d+):{port}""").Groups[1].Value;
        Assert.Contains($"https://127.0.0.1:{published} ", DeployFiles.Runbook, StringComparison.Ordinal);
        Assert.Contains($"HOSTS_{region}=127.0.0.1 ", DeployFiles.Runbook, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("us")]
    [InlineData("eu")]
    public void A_region_on_Kubernetes_has_one_that_only_who_may_forward_its_port_reaches_with_a_key_from_a_secret(string region)
    {
        var manifest = DeployFiles.Read("kubernetes/base/region.yaml");
        var kustomization = DeployFiles.Read($"kubernetes/{region}/kustomization.yaml");
        var port = PortOf(Listening().Match(manifest).Value);

        Assert.DoesNotContain($"containerPort: {port}", manifest, StringComparison.Ordinal);
        Assert.DoesNotContain("Admin__Key", manifest, StringComparison.Ordinal);
        Assert.Contains("- secretRef: { name: webshop-admin, optional: true }", manifest, StringComparison.Ordinal);
        Assert.Contains(
            $"kubectl -n {region} create secret generic webshop-admin --from-file=Admin__Key=", kustomization, StringComparison.Ordinal);
        Assert.Contains($"port-forward webshop-0 7402:{port}`", DeployFiles.Runbook, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_runbooks_commands_look_at_two_regions_with_the_compose_files_settings_while_one_is_lost_and_when_it_is_back()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The certificates take sh and openssl.");
        Directory.CreateDirectory(_folder.File("deploy"));
        File.Copy(DeployFiles.PathOf("certificates.sh"), _folder.File("deploy/certificates.sh"));
        await InTerminalAsync(DeployFiles.RunbookBlock("certificates.sh deploy/certificates us eu"));
        var ports = FreePorts.Take(6);
        var key = await InTerminalAsync(Exports, $"printf %s \"{DeployFiles.ComposeSettings("us")["Admin:Key"]}\"");
        await using var eu = Create("eu", ports, key);
        await using (var us = Create("us", ports, key))
        {
            await Task.WhenAll(us.StartAsync(Stop), eu.StartAsync(Stop));
            using var http = new HttpClient();
            using var sold = await http.PutAsync($"http://127.0.0.1:{ports[0]}/stock/blue-shirt/orders/1", null, Stop);
            sold.EnsureSuccessStatusCode();
            await UntilFoundAsync([], ports);
            Assert.Contains("us", await GeoAsync("geo status --url https://127.0.0.1:7401", ports), StringComparison.Ordinal);
            var grain = await GeoAsync("geo grain stock/blue-shirt --url https://127.0.0.1:7402", ports);
            Assert.Contains("us", grain, StringComparison.Ordinal);
            await us.StopAsync(Stop);
        }

        await UntilFoundAsync(["region-down us"], ports);
        await GeoAsync("geo doubtful --url https://127.0.0.1:7402", ports);

        await using var back = Create("us", ports, key);
        await back.StartAsync(Stop);
        await UntilFoundAsync([], ports);
        await eu.StopAsync(Stop);
        await back.StopAsync(Stop);
    }

    public void Dispose() => _folder.Dispose();

    // The compose file's region on this machine: its ports, its folder of certificates, and a file in place of the database.
    private WebApplication Create(string region, IReadOnlyList<int> ports, string key)
    {
        var (own, others) = region == "us" ? (ports.Take(3).ToArray(), ports[4]) : (ports.Skip(3).ToArray(), ports[1]);
        var settings = DeployFiles.ComposeSettings(region)
            .Where(setting => !setting.Key.StartsWith("Geo:Stores:", StringComparison.Ordinal))
            .ToDictionary(setting => setting.Key, setting => setting.Key switch
            {
                "Urls" => $"http://127.0.0.1:{own[0]}",
                "Geo:ListenOn" => $"127.0.0.1:{own[1]}",
                "Admin:ListenOn" => setting.Value.Replace($"{PortOf(setting.Value)}", $"{own[2]}", StringComparison.Ordinal),
                "Admin:Key" => key,
                "Geo:Clusters:us:0" or "Geo:Clusters:eu:0" => $"127.0.0.1:{others}",
                _ => setting.Value.Replace("/certificates", _folder.File($"deploy/certificates/{region}"), StringComparison.Ordinal),
            });
        settings["Geo:Stores:Default:Path"] = _folder.File("shop.db");
        settings["Logging:LogLevel:Default"] = "None";
        return Region.Create([.. settings.Select(setting => $"--{setting.Key}={setting.Value}")]);
    }

    private async Task UntilFoundAsync(string[] faults, IReadOnlyList<int> ports)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Stop);
        limit.CancelAfter(Patience);
        for (string[] found = ["nothing asked yet"]; !found.SequenceEqual(faults);)
        {
            Assert.False(limit.IsCancellationRequested, $"The doctor names {string.Join(", ", found)}.");
            using var answer = JsonDocument.Parse(await GeoAsync("geo doctor --url https://127.0.0.1:7402", ports, "--json"));
            found = [.. answer.RootElement.EnumerateArray().Select(fault => $"{fault.GetProperty("name")} {fault.GetProperty("subject")}")];
        }
    }

    // A command of the runbook, word for word but for the ports, which others may use here; in a terminal of its own.
    private async Task<string> GeoAsync(string command, IReadOnlyList<int> ports, string more = "")
    {
        Assert.Contains(command, DeployFiles.Runbook, StringComparison.Ordinal);
        var asked = command.Replace("127.0.0.1:7401", $"127.0.0.1:{ports[2]}", StringComparison.Ordinal)
            .Replace("127.0.0.1:7402", $"127.0.0.1:{ports[5]}", StringComparison.Ordinal);
        var geo = $"geo() {{ dotnet '{Path.Combine(AppContext.BaseDirectory, "geo.dll")}' \"$@\"; }}";
        var alsoWell = asked.StartsWith("geo doctor ", StringComparison.Ordinal) ? " || [ $? = 2 ]" : "";
        return await InTerminalAsync(Exports, geo, $"{asked} {more}{alsoWell}");
    }

    // What is typed at the root of the checkout.
    private async Task<string> InTerminalAsync(params string[] typed)
    {
        var (code, output) = await DeployFiles.RunAsync(
            "sh", "-euc", $"cd '{_folder.File(".")}'\n{string.Join('\n', typed)}");
        Assert.True(code == 0, $"{string.Join('\n', typed)}: {output}");
        return output;
    }

    private static int PortOf(string address) => int.Parse(address.Split(':')[^1], CultureInfo.InvariantCulture);

    [GeneratedRegex("(?<=Admin__ListenOn, value: \")127\\.0\\.0\\.1:[0-9]+(?=\")")]
    private static partial Regex Listening();
}
