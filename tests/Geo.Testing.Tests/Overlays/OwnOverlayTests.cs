using Geo.Messaging.Overlays;
using Geo.Testing.Conformance;
using Geo.Testing.Overlays;

namespace Geo.Testing.Tests.Overlays;

public sealed class OwnOverlayTests
{
    private static readonly OverlayCatalog s_catalog = OverlayCatalog.BuiltIn.With("ring", (_, self) => new RingOverlay(self));

    public static TheoryData<string> Cases => [.. OverlayConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task An_overlay_of_ones_own_keeps_the_contract(string name)
    {
        foreach (var seed in SimulationSeed.FromEnvironment(5))
        {
            var subject = new OverlaySubject("ring", () => new SimulatedOverlayWorld(seed, s_catalog));

            Assert.Null(await Record.ExceptionAsync(() => OverlayConformance.RunAsync(name, subject)));
        }
    }

    [Fact]
    public void The_page_on_overlays_quotes_the_overlay_that_is_tested_and_it_is_short()
    {
        var root = new DirectoryInfo(AppContext.BaseDirectory);
        while (root is not null && !File.Exists(Path.Combine(root.FullName, "Geo.sln")))
        {
            root = root.Parent;
        }

        Assert.NotNull(root);
        var source = File.ReadAllText(Path.Combine(root.FullName, "tests", "Geo.Testing.Tests", "Overlays", "RingOverlay.cs"));
        var page = File.ReadAllText(Path.Combine(root.FullName, "docs", "overlays.md"));

        Assert.Contains("```csharp\n" + source + "```", page, StringComparison.Ordinal);
        Assert.True(source.Split('\n').Length < 150, "An overlay of one's own takes less than 150 lines.");
    }
}
