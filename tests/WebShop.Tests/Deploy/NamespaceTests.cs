using Geo.Emulation;

namespace WebShop.Tests.Deploy;

public sealed class NamespaceTests
{
    private static readonly string[] Programs = ["openssl", "curl", "sh"];

    [Fact]
    public async Task Two_regions_in_network_namespaces_sell_and_rate_through_a_cut()
    {
        Assert.SkipWhen(NetworkNamespace.Unavailable is not null, NetworkNamespace.Unavailable ?? "");
        Assert.SkipUnless(Programs.All(DeployFiles.Has), "The script takes openssl and curl.");

        var (code, output) = await DeployFiles.RunAsync("sh", DeployFiles.PathOf("two-regions.sh"), AppContext.BaseDirectory);

        Assert.True(code == 0, output);
        Assert.Contains("both agree", output, StringComparison.Ordinal);
    }
}
