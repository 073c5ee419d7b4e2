namespace Geo.Directory;

/// <summary>
/// Has a member take a grain that is nobody's, for a call in a cluster that may own nothing: one that is joining, leaving or outside of the
/// configuration (rule C8 of the design of regions); or has the one take it to which it was released (rule Q7). The call is carried to
/// whoever the row names then.
/// </summary>
/// <param name="messenger">The way to the other clusters.</param>
/// <param name="surroundings">The clusters.</param>
/// <param name="limits">Channel and waits.</param>
internal sealed class QuorumGifts(IClusterMessenger messenger, QuorumSurroundings surroundings, GlobalDirectoryOptions limits)
{
    private const string Service = "geo.quorum.take";

    private static readonly byte[] Taken = [1], NotTaken = [0];

    /// <summary>Begins to take what others give.</summary>
    /// <param name="take">Acquires a grain, wherever it comes to be.</param>
    public IDisposable Receive(Func<GrainKey, CancellationToken, Task> take) => messenger.Handle(Service, async (message, token) =>
    {
        var key = GrainKey.Parse(new PayloadReader(message.Payload.Span).ReadRequiredText());
        GrainTraces.Handles(key.Type);
        if (!surroundings.MayOwn(messenger.LocalCluster))
        {
            return NotTaken;
        }

        try
        {
            await take(key, token);
            return Taken;
        }
        catch (GeoUnavailableException)
        {
            return NotTaken;
        }
    });

    /// <summary>Asks one member after another that this silo is linked with, another one first for each grain.</summary>
    /// <returns>False where none took it. True also where a member found that somebody owns it, as far as the member knows.</returns>
    public async ValueTask<bool> GiveAsync(GrainKey key, CancellationToken cancellationToken)
    {
        var members = surroundings.Members(messenger.LocalCluster).Where(messenger.IsLinked).ToArray();
        for (var i = 0; i < members.Length; i++)
        {
            var member = members[(int)(((ulong)key.ToPartitionKey().Low + (uint)i) % (uint)members.Length)];
            if (await GiveAsync(key, member, cancellationToken))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Asks one cluster.</summary>
    /// <returns>As above.</returns>
    public async ValueTask<bool> GiveAsync(GrainKey key, ClusterId to, CancellationToken cancellationToken)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        var reply = await messenger.RequestAsync(
            to, Service, writer.ToArray(),
            new MessageOptions(limits.Channel, key.ToPartitionKey(), limits.RequestTimeout + limits.StoreTimeout, GrainClass: key.Type),
            cancellationToken);
        return reply.Outcome == ReplyOutcome.Replied && reply.Payload.Span.SequenceEqual(Taken);
    }
}
