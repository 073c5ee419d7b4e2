namespace Geo.Messaging.Amqp;

/// <summary>Another peer that is there.</summary>
internal sealed class AmqpLink(PeerId peer, long epoch, string queue)
{
    public PeerId Peer => peer;

    public long Epoch => epoch;

    public string Queue => queue;

    public TimeSpan Heard { get; set; }
}
