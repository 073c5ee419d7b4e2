namespace Geo.Messaging.Overlays;

/// <summary>Reads the messages of <see cref="HyParView"/>, and shuffles.</summary>
internal sealed class HyParViewReader(HyParViewTurn turn)
{
    // A shuffle's way back has a stop for each link of its walk, and no peer sends more of its views than this.
    private const int MaxNamed = 256;

    private HyParView State => turn.State;

    /// <summary>Sends a sample of this peer's views on a random walk.</summary>
    public static void StartShuffle(HyParViewTurn turn)
    {
        var state = turn.State;
        if (state.Active.IsEmpty)
        {
            return;
        }

        var to = state.Active.Keys.ElementAt(turn.Random.Next(state.Active.Count));
        List<OverlayMember> sample =
        [
            state.Self,
            .. Sample(turn, state.Active.Values, state.Options.ShuffleActive),
            .. Sample(turn, state.Passive.Values, state.Options.ShufflePassive),
        ];
        SendShuffle(turn, to, state.Options.ActiveWalk, state.Self.Peer, [state.Self.Peer], sample);
    }

    public void Read(OverlayMember from, ReadOnlyMemory<byte> payload)
    {
        var reader = new PayloadReader(payload.Span);
        var kind = (HyParViewKind)reader.ReadByte();
        if (kind != HyParViewKind.Leave && !turn.IsWelcome(from))
        {
            return;
        }

        switch (kind)
        {
            case HyParViewKind.Join:
                turn.OnJoin(from);
                break;
            case HyParViewKind.ForwardJoin:
                turn.OnForwardJoin(from.Peer, ReadLeft(ref reader), OverlayMember.ReadFrom(ref reader));
                break;
            case HyParViewKind.Neighbour:
                turn.OnNeighbour(from, urgent: reader.ReadByte() != 0);
                break;
            case HyParViewKind.Accept:
                turn.OnAccept(from);
                break;
            case HyParViewKind.Reject or HyParViewKind.Disconnect:
                turn.OnRefused(from);
                break;
            case HyParViewKind.Shuffle:
                OnShuffle(from.Peer, ref reader);
                break;
            case HyParViewKind.ShuffleReply:
                OnShuffleReply(ref reader);
                break;
            case HyParViewKind.Alive:
                turn.OnAlive(from);
                break;
            case HyParViewKind.Leave:
                turn.OnLeave(from.Peer, OverlayMember.ReadFrom(ref reader));
                break;
            case HyParViewKind.Expel:
                turn.Expel(OverlayMember.ReadPeer(ref reader), reader.ReadUnsigned());
                break;
            default:
                throw new GeoSerializationException($"A message of {from} is of the unknown kind {(byte)kind}.");
        }
    }

    private static void SendShuffle(
        HyParViewTurn turn, PeerId to, int left, PeerId origin, IReadOnlyList<PeerId> way, IReadOnlyList<OverlayMember> sample) =>
        turn.Send(to, HyParViewTurn.Payload(HyParViewKind.Shuffle, payload =>
        {
            payload.WriteUnsigned((ulong)left);
            payload.WriteText(origin.Name);
            WriteWay(payload, way);
            OverlayMember.WriteAll(payload, sample);
        }));

    private static IEnumerable<OverlayMember> Sample(HyParViewTurn turn, IEnumerable<OverlayMember> view, int count)
    {
        var members = view.ToArray();
        turn.Random.Shuffle(members);
        return members.Take(count);
    }

    private void OnShuffle(PeerId from, ref PayloadReader reader)
    {
        var left = ReadLeft(ref reader);
        var origin = OverlayMember.ReadPeer(ref reader);
        var way = ReadWay(ref reader);
        var sample = OverlayMember.ReadAll(ref reader);
        var next = left <= 0 ? [] : State.Active.Keys.Where(peer => peer != from && !way.Contains(peer)).ToList();
        if (next.Count > 0)
        {
            SendShuffle(turn, next[turn.Random.Next(next.Count)], left - 1, origin, [.. way, State.Self.Peer], sample);
            return;
        }

        var answer = Sample(turn, State.Passive.Values, sample.Count).ToList();
        Take(sample);
        Answer(way, answer);
    }

    private void OnShuffleReply(ref PayloadReader reader)
    {
        var way = ReadWay(ref reader);
        var sample = OverlayMember.ReadAll(ref reader);
        if (way.Count == 0)
        {
            Take(sample);
        }
        else
        {
            Answer(way, sample);
        }
    }

    // Back the way it came, one peer after the other; a link that has gone loses the answer, and the next shuffle brings another.
    private void Answer(List<PeerId> way, IReadOnlyList<OverlayMember> sample)
    {
        if (way.Count > 0 && State.Linked.ContainsKey(way[^1]))
        {
            turn.Send(way[^1], HyParViewTurn.Payload(HyParViewKind.ShuffleReply, payload =>
            {
                WriteWay(payload, [.. way.SkipLast(1)]);
                OverlayMember.WriteAll(payload, sample);
            }));
        }
    }

    private void Take(IReadOnlyList<OverlayMember> sample)
    {
        foreach (var member in sample.Take(MaxNamed))
        {
            if (!State.Lost.TryGetValue(member.Peer, out var lost) || lost.Incarnation < member.Incarnation)
            {
                turn.State = State.WithPassive(member, turn.Random);
            }
        }
    }

    private static int ReadLeft(ref PayloadReader reader) => (int)Math.Min(reader.ReadUnsigned(), 64);

    private static void WriteWay(PayloadWriter payload, IReadOnlyList<PeerId> way)
    {
        payload.WriteUnsigned((ulong)way.Count);
        foreach (var peer in way)
        {
            payload.WriteText(peer.Name);
        }
    }

    private static List<PeerId> ReadWay(ref PayloadReader reader)
    {
        List<PeerId> way = [];
        for (var left = Math.Min(reader.ReadCount(), MaxNamed); left > 0; left--)
        {
            way.Add(OverlayMember.ReadPeer(ref reader));
        }

        return way;
    }
}
