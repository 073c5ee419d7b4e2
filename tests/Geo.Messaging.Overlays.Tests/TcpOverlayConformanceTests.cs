using Geo.Testing.Conformance;

namespace Geo.Messaging.Overlays.Tests;

public abstract class TcpOverlayConformanceTests(string overlay)
{
    public static TheoryData<string> Cases => [.. OverlayConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_of_overlays_over_tcp(string name)
    {
        var subject = new OverlaySubject(overlay, () => new TcpOverlayWorld())
        {
            IsPairwise = overlay == StaticOverlay.Name,
            HasFullViews = overlay is StaticOverlay.Name or FullMesh.Name,
            Tags = overlay == ClientServer.Name ? OverlaySubject.ThreeServers : [null],
            Peers = 6,
            Messages = 25,
        };

        Assert.Null(await Record.ExceptionAsync(() => OverlayConformance.RunAsync(name, subject)));
    }
}

public sealed class TcpStaticOverlayTests() : TcpOverlayConformanceTests(StaticOverlay.Name);

public sealed class TcpFullMeshTests() : TcpOverlayConformanceTests(FullMesh.Name);

public sealed class TcpClientServerTests() : TcpOverlayConformanceTests(ClientServer.Name);

public sealed class TcpHyParViewTests() : TcpOverlayConformanceTests(HyParView.Name);
