using Geo.Messaging.Overlays;
using Geo.Testing.Conformance;
using Geo.Testing.Overlays;

namespace Geo.Testing.Tests.Overlays;

public sealed class SimulatedOverlayConformanceTests
{
    private static readonly string[] s_overlays = [StaticOverlay.Name, FullMesh.Name, ClientServer.Name, HyParView.Name];

    public static TheoryData<string, string> Cases
    {
        get
        {
            TheoryData<string, string> cases = [];
            foreach (var overlay in s_overlays)
            {
                foreach (var name in OverlayConformance.Names)
                {
                    cases.Add(overlay, name);
                }
            }

            return cases;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_of_overlays_in_virtual_time(string overlay, string name)
    {
        foreach (var seed in SimulationSeed.FromEnvironment(5))
        {
            var subject = new OverlaySubject(overlay, () => new SimulatedOverlayWorld(seed))
            {
                IsPairwise = overlay == StaticOverlay.Name,
                HasFullViews = overlay is StaticOverlay.Name or FullMesh.Name,
                Tags = overlay == ClientServer.Name ? OverlaySubject.ThreeServers : [null],
            };

            Assert.Null(await Record.ExceptionAsync(() => OverlayConformance.RunAsync(name, subject)));
        }
    }
}
