using Geo.Testing.Conformance;

namespace Geo.Messaging.Amqp.Tests;

public sealed class AmqpOverlayConformanceTests(Broker broker)
{
    public static TheoryData<string> Cases => [.. OverlayConformance.Names];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Keeps_the_contract_of_overlays_over_a_broker(string name)
    {
        Broker.Require();
        var subject = new OverlaySubject(AmqpOverlay.Name, () => new AmqpOverlayWorld(broker))
        {
            HasFullViews = true,
            Peers = 6,
            Messages = 25,
        };

        Assert.Null(await Record.ExceptionAsync(() => OverlayConformance.RunAsync(name, subject)));
    }
}
