using Geo.Testing.Wan;

namespace WebShop.Tests.Deploy;

public sealed class UpgradeTests
{
    // The folder of a published web shop of an earlier commit; without one this build takes that part as well, which shows the procedure.
    private const string PreviousVariable = "GEO_PREVIOUS_WEBSHOP";

    private static readonly string[] Programs = ["curl", "sh"];

    [Fact]
    public async Task Regions_of_two_builds_sell_from_one_stock_while_one_after_the_other_is_upgraded_and_one_is_taken_back()
    {
        Assert.SkipUnless(Programs.All(DeployFiles.Has), "The script takes curl.");
        var previous = Environment.GetEnvironmentVariable(PreviousVariable) ?? AppContext.BaseDirectory;

        var (code, output) = await DeployFiles.RunAsync(
            "env", $"PORTS={string.Join(' ', FreePorts.Take(4))}", "sh", DeployFiles.PathOf("upgrade.sh"), previous,
            AppContext.BaseDirectory);

        TestContext.Current.TestOutputHelper?.WriteLine($"previous: {previous}\n{output}");
        Assert.True(code == 0, output);
        Assert.Contains("us this, eu previous: 4 sold, both agree", output, StringComparison.Ordinal);
        Assert.Contains("us previous again, eu this: 8 sold, both agree", output, StringComparison.Ordinal);
    }
}
