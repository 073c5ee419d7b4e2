using Geo.Messaging.Overlays;
using Geo.Testing.Conformance;
using Geo.Testing.Overlays;

namespace Geo.Testing.Tests.Overlays;

public sealed class SimulatedOverlayConformanceTests
{
    private static readonly string[] OverlayNames = [StaticOverlay.Name, FullMesh.Name, ClientServer.Name, HyParView.Name];

    public static TheoryData<string, string> Cases
    {
        get
        {
            TheoryData<string, string> cases = [];
            foreach (var overlay in OverlayNames)
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
    public Task Keeps_the_contract_of_overlays_in_virtual_time(string overlay, string name) => RunAsync(overlay, name, new());

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Keeps_it_when_frames_arrive_before_their_links_are_known(string overlay, string name) =>
        RunAsync(overlay, name, new() { MaxNoticeDelay = TimeSpan.FromMilliseconds(500) });

    private static async Task RunAsync(string overlay, string name, SimulatedOverlayOptions network)
    {
        foreach (var seed in SimulationSeed.FromEnvironment(5))
        {
            var subject = new OverlaySubject(overlay, () => new SimulatedOverlayWorld(seed, options: network))
            {
                IsPairwise = overlay == StaticOverlay.Name,
                HasFullViews = overlay is StaticOverlay.Name or FullMesh.Name,
                Tags = overlay == ClientServer.Name ? OverlaySubject.ThreeServers : [null],
            };

            Assert.Null(await Record.ExceptionAsync(() => OverlayConformance.RunAsync(name, subject)));
        }
    }
}
