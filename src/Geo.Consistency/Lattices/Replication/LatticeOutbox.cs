namespace Geo.Consistency.Lattices;

/// <summary>The messages that a replica wants sent.</summary>
internal sealed class LatticeOutbox(LatticeData data, LatticePeers peers)
{
    private readonly List<LatticeSend> _output = [];

    /// <summary>The number of the last asking whether others have heard.</summary>
    internal long Asks { get; private set; }

    /// <summary>What the replica says of itself with each status.</summary>
    internal LatticeStatusFlags Says { get; set; }

    /// <summary>The messages, in their order.</summary>
    internal IReadOnlyList<LatticeSend> Take()
    {
        LatticeSend[] output = [.. _output];
        _output.Clear();
        return output;
    }

    /// <summary>Tells what is here.</summary>
    internal void SendStatus(LatticeAddress address, ReplicaId to, bool wantsAnswer, LatticeStatusFlags says = LatticeStatusFlags.None)
    {
        var body = new LatticeWriter();
        var peer = peers.Find(to);
        new LatticeStatus(
            data.Vouched, LatticeRules.IsOff(LatticeRule.TellBeyond) ? VectorClock.Bottom : data.Beyond, data.Applied[to],
            peer?.Applied ?? VectorClock.Bottom, peer?.Beyond ?? VectorClock.Bottom, peers.Members, peers.Everyone,
            Says | says | (peers.Counts(address) ? LatticeStatusFlags.CountsReceiver : LatticeStatusFlags.None)
                | (peers.TakesPart ? LatticeStatusFlags.None : LatticeStatusFlags.IsAside)
                | (peers.IsHolder ? LatticeStatusFlags.None : LatticeStatusFlags.IsGuest),
            wantsAnswer ? ++Asks : 0, peer?.Asked ?? 0, data.Lacking).Write(body);
        Send(address, to, LatticeEnvelope.Write(LatticeMessageKind.Status, data.Id, body));
    }

    internal void Send(LatticePeer to, LatticeMessageKind kind, LatticeWriter body) =>
        Send(to.Address, to.Id, LatticeEnvelope.Write(kind, data.Id, body));

    internal void Send(LatticeAddress address, ReplicaId to, byte[] message) =>
        _output.Add(new(address, LatticeEnvelope.For(to, message)));

    /// <summary>A message for another replica of this cluster goes to its silo.</summary>
    internal void PassOn(LatticeAddress from, ReplicaId sender, ReplicaId to, ReadOnlySpan<byte> message)
    {
        if (peers.Find(to)?.Address is { Silo: not null } sibling && from.Silo is null)
        {
            _output.Add(new(sibling, message.ToArray(), from));
        }
        else
        {
            // It was for an earlier life of this cluster: its sender is told who lives here now.
            SendStatus(from, sender, wantsAnswer: false);
        }
    }
}
