using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Amqp.Tests;

public sealed class AmqpOptionsTests
{
    [Theory]
    [InlineData("amqp://user:secret@broker.example/", "beyond loopback and not amqps")]
    [InlineData("http://127.0.0.1/", "must be an amqp or amqps address")]
    public void A_broker_that_may_not_be_used_is_one_clear_error(string broker, string expected)
    {
        var options = new AmqpOptions { Peer = new PeerId("a"), Broker = new Uri(broker) };

        var error = Assert.Throws<GeoConfigurationException>(
            () => new AmqpOverlayTransport(options, TimeProvider.System, NullLoggerFactory.Instance));

        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_out_of_range_are_one_clear_error_that_names_them()
    {
        var options = new AmqpOptions
        {
            Peer = new PeerId("a"),
            Broker = new Uri("amqp://127.0.0.1/"),
            Prefetch = 0,
            DeadAfter = TimeSpan.FromSeconds(1),
        };

        var error = Assert.Throws<GeoConfigurationException>(
            () => new AmqpOverlayTransport(options, TimeProvider.System, NullLoggerFactory.Instance));

        Assert.Contains("Prefetch", error.Message, StringComparison.Ordinal);
        Assert.Contains("DeadAfter", error.Message, StringComparison.Ordinal);
    }
}
