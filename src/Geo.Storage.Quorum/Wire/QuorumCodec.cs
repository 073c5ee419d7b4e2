using System.Collections.Immutable;

namespace Geo.Storage.Quorum;

/// <summary>
/// The bytes of requests, replies and rows, in one file of over 400 lines because they share most of their parts. Forms that come later
/// begin as none does today, so that this build refuses them and does not read something else in them.
/// </summary>
internal static class QuorumCodec
{
    private const byte Nothing = 0;
    private const byte Tombstone = 1;
    private const byte Live = 2;

    private const byte StoreBytes = 16;

    private const string MetaRow = "Row '\\u0001' of the acceptor's store, which says what that keeps,";

    private const string OfNewer = "was written by a newer build of Geo, or is damaged; run that build or a newer one, and do not "
        + "overwrite it";

    private enum Kind : byte
    {
        Read = 1,
        Prepare,
        Accept,
        Forget,
        RaiseFloor,
        List,
        Told,
        Promised,
        Accepted,
        Refused,
        Done,
        Page,
        Meet,
        Found,
        Met,
        Clear,
    }

    /// <param name="stores">The <see cref="StoreList.Digest"/> of the asker; 0 where the request is not for one list.</param>
    /// <param name="request">What it asks.</param>
    public static byte[] Write(ulong stores, QuorumRequest request)
    {
        var to = new PayloadWriter();
        to.WriteUnsigned(stores);
        switch (request)
        {
            case ReadRequest read:
                Begin(to, Kind.Read, read);
                break;
            case PrepareRequest prepare:
                Begin(to, Kind.Prepare, prepare);
                Write(to, prepare.Ballot);
                to.WriteByte(prepare.WantsFloor ? (byte)1 : (byte)0);
                break;
            case AcceptRequest accept:
                Begin(to, Kind.Accept, accept);
                Write(to, accept.Ballot);
                Write(to, accept.Value);
                Write(to, accept.Next);
                break;
            case ForgetRequest forget:
                Begin(to, Kind.Forget, forget);
                Write(to, forget.Accepted);
                break;
            case RaiseFloorRequest raise:
                to.WriteByte((byte)Kind.RaiseFloor);
                Write(to, raise.Floor);
                break;
            case ListRequest list:
                to.WriteByte((byte)Kind.List);
                to.WriteText(list.Prefix);
                to.WriteText(list.After);
                to.WriteUnsigned((ulong)list.MaxRows);
                break;
            case MeetRequest:
                to.WriteByte((byte)Kind.Meet);
                break;
            case FoundRequest found:
                to.WriteByte((byte)Kind.Found);
                to.WriteText(found.Configuration);
                Write(to, found.Stores);
                break;
            case ClearRequest clear:
                to.WriteByte((byte)Kind.Clear);
                Write(to, clear.Now);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(request));
        }

        return to.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no request.</exception>
    public static (ulong Stores, QuorumRequest Request) ReadRequest(ReadOnlySpan<byte> payload)
    {
        var from = new PayloadReader(payload);
        var stores = from.ReadUnsigned();
        QuorumRequest request = (Kind)from.ReadByte() switch
        {
            Kind.Read => new ReadRequest(from.ReadRequiredText()),
            Kind.Prepare => new PrepareRequest(from.ReadRequiredText(), ReadBallot(ref from), from.ReadByte() == 1),
            Kind.Accept => new AcceptRequest(
                from.ReadRequiredText(), ReadBallot(ref from), Required(ReadValue(ref from)), ReadBallot(ref from)),
            Kind.Forget => new ForgetRequest(from.ReadRequiredText(), ReadBallot(ref from)),
            Kind.RaiseFloor => new RaiseFloorRequest(ReadBallot(ref from)),
            Kind.List => new ListRequest(from.ReadRequiredText(), from.ReadText(), (int)Math.Min(int.MaxValue, from.ReadUnsigned())),
            Kind.Meet => new MeetRequest(),
            Kind.Found => new FoundRequest(from.ReadRequiredText(), Required(ReadStores(ref from))),
            Kind.Clear => new ClearRequest(Required(ReadStores(ref from))),
            var kind => throw new GeoSerializationException(
                $"A request of a quorum store is of the kind {kind}, which this build of Geo does not know: another build has sent it."),
        };
        End(from);
        return (stores, request);
    }

    public static byte[] Write(QuorumReply reply)
    {
        var to = new PayloadWriter();
        switch (reply)
        {
            case ToldReply told:
                to.WriteByte((byte)Kind.Told);
                Write(to, told);
                break;
            case PromisedReply promised:
                to.WriteByte((byte)Kind.Promised);
                Write(to, promised.Accepted);
                Write(to, promised.Value);
                to.WriteByte(promised.Forgotten is null ? Nothing : Live);
                Write(to, promised.Forgotten ?? Ballot.None);
                break;
            case AcceptedReply accepted:
                to.WriteByte((byte)Kind.Accepted);
                Write(to, accepted.Promised);
                break;
            case RefusedReply refused:
                to.WriteByte((byte)Kind.Refused);
                Write(to, refused.Promised);
                break;
            case DoneReply:
                to.WriteByte((byte)Kind.Done);
                break;
            case PageReply page:
                to.WriteByte((byte)Kind.Page);
                to.WriteByte(page.IsLast ? (byte)1 : (byte)0);
                to.WriteUnsigned((ulong)page.Rows.Count);
                foreach (var (key, row, age) in page.Rows)
                {
                    to.WriteText(key);
                    Write(to, row);
                    to.WriteUnsigned((ulong)age.TotalMilliseconds);
                }

                break;
            case MetReply met:
                to.WriteByte((byte)Kind.Met);
                to.WriteText(met.Cluster.Name);
                to.WriteText(met.Configuration);
                to.WriteBytes(met.Store.ToByteArray());
                Write(to, met.Kept);
                to.WriteByte(met.IsFresh ? (byte)1 : (byte)0);
                if (met.Promised != 0)
                {
                    // Of a register that was given up by force alone: earlier builds do not know it, as they do not know forced lists.
                    to.WriteUnsigned((ulong)met.Promised);
                }

                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(reply));
        }

        return to.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no reply.</exception>
    public static QuorumReply ReadReply(ReadOnlySpan<byte> payload)
    {
        var from = new PayloadReader(payload);
        QuorumReply reply = (Kind)from.ReadByte() switch
        {
            Kind.Told => ReadTold(ref from),
            Kind.Promised => ReadPromised(ref from),
            Kind.Accepted => new AcceptedReply(ReadBallot(ref from)),
            Kind.Refused => new RefusedReply(ReadBallot(ref from)),
            Kind.Done => new DoneReply(),
            Kind.Page => ReadPage(ref from),
            Kind.Met => new MetReply(
                ReadCluster(ref from), from.ReadRequiredText(), ReadGuid(ref from), ReadStores(ref from), from.ReadByte() == 1,
                from.Rest.IsEmpty ? 0 : (long)from.ReadUnsigned()),
            var kind => throw new GeoSerializationException(
                $"A reply of a quorum store is of the kind {kind}, which this build of Geo does not know: another build has sent it."),
        };
        End(from);
        return reply;
    }

    public static byte[] Write(AcceptorRow row)
    {
        var to = new PayloadWriter();
        Write(to, new ToldReply(row.Promised, row.Accepted, row.Value));
        return to.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no row.</exception>
    public static AcceptorRow ReadRow(ReadOnlySpan<byte> bytes)
    {
        // No ballot is of version 0 and has a counter: rows of any later form begin so.
        Refuse(bytes is [0, > 0, ..], "A row of a quorum store");
        var from = new PayloadReader(bytes);
        var told = ReadTold(ref from);
        End(from);
        return new(told.Promised, told.Accepted, told.Value);
    }

    public static byte[] Write(AcceptorMeta meta)
    {
        var to = new PayloadWriter();
        to.WriteBytes(meta.Store.ToByteArray());
        Write(to, meta.Floor);
        Write(to, meta.Kept);
        to.WriteByte((byte)meta.Rows);
        Write(to, meta.Forgotten);
        return to.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are not what an acceptor keeps of itself.</exception>
    public static AcceptorMeta ReadMeta(ReadOnlySpan<byte> bytes)
    {
        // A store's name has 16 bytes: rows of any later form begin with another number.
        Refuse(bytes is [not StoreBytes, ..], MetaRow);
        try
        {
            return ReadPresentMeta(bytes);
        }
        catch (GeoSerializationException e)
        {
            throw new GeoSerializationException(
                $"{MetaRow} is damaged, or was written by an older build of Geo for a QuorumConfiguration of another version than 1 "
                + $"({e.Message.TrimEnd('.')}). Damaged: take the cluster out of those that keep the store, empty its own, and take it in "
                + "again. Of an older build: the store is to begin anew, with stores of its clusters that are empty.",
                e);
        }
    }

    public static byte[] Write(KeptList kept)
    {
        var to = new PayloadWriter();
        to.WriteByte(kept.IsSettled ? (byte)1 : (byte)0);
        Write(to, kept.Stores);
        return to.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no list of stores.</exception>
    public static KeptList ReadKept(ReadOnlySpan<byte> bytes)
    {
        Refuse(bytes is [> 1, ..], "The list of the clusters that keep a quorum store");
        var from = new PayloadReader(bytes);
        var isSettled = from.ReadByte() == 1;
        var kept = new KeptList(Required(ReadStores(ref from)), isSettled);
        End(from);
        return kept;
    }

    private static AcceptorMeta ReadPresentMeta(ReadOnlySpan<byte> bytes)
    {
        var from = new PayloadReader(bytes);
        var (store, floor, kept) = (ReadGuid(ref from), ReadBallot(ref from), ReadStores(ref from));

        // A row of a version that could not change its list ends here: forgetting alone raised its floor.
        var meta = new AcceptorMeta(store, floor, kept, Forgotten: floor);
        if (!from.Rest.IsEmpty)
        {
            meta = meta with { Rows = (AcceptorRows)from.ReadByte(), Forgotten = ReadBallot(ref from) };
        }

        End(from);
        return meta;
    }

    private static PromisedReply ReadPromised(ref PayloadReader from)
    {
        var (accepted, value, isTold) = (ReadBallot(ref from), ReadValue(ref from), from.ReadByte() != Nothing);
        var forgotten = ReadBallot(ref from);
        return new(accepted, value, isTold ? forgotten : null);
    }

    private static void Begin(PayloadWriter to, Kind kind, KeyRequest request)
    {
        to.WriteByte((byte)kind);
        to.WriteText(request.Key);
    }

    private static void Write(PayloadWriter to, ToldReply told)
    {
        Write(to, told.Promised);
        Write(to, told.Accepted);
        Write(to, told.Value);
    }

    private static ToldReply ReadTold(ref PayloadReader from) => new(ReadBallot(ref from), ReadBallot(ref from), ReadValue(ref from));

    private static void Write(PayloadWriter to, Ballot ballot)
    {
        to.WriteUnsigned((ulong)ballot.Version);
        to.WriteUnsigned((ulong)ballot.Counter);
        to.WriteUnsigned(ballot.Proposer);
    }

    private static Ballot ReadBallot(ref PayloadReader from) =>
        new((long)from.ReadUnsigned(), (long)from.ReadUnsigned(), from.ReadUnsigned());

    private static void Write(PayloadWriter to, QuorumValue? value)
    {
        to.WriteByte(value is null ? Nothing : value.IsLive ? Live : Tombstone);
        if (value is null)
        {
            return;
        }

        Write(to, value.Tag);
        Write(to, value.Origin);
        to.WriteUnsigned((ulong)value.Ancestors.Length);
        foreach (var ancestor in value.Ancestors)
        {
            Write(to, ancestor);
        }

        to.WriteBytes(value.Bytes.Span);
    }

    private static QuorumValue? ReadValue(ref PayloadReader from)
    {
        var kind = from.ReadByte();
        if (kind == Nothing)
        {
            return null;
        }

        var (tag, origin) = (ReadBallot(ref from), ReadBallot(ref from));
        var count = from.ReadUnsigned();
        if (kind > Live || count > QuorumValue.KeptAncestors)
        {
            throw new GeoSerializationException($"A value of a quorum store is of the kind {kind} and names {count} values before it.");
        }

        var ancestors = ImmutableArray.CreateBuilder<Ballot>((int)count);
        for (var i = 0UL; i < count; i++)
        {
            ancestors.Add(ReadBallot(ref from));
        }

        return new(tag, origin, kind == Live, from.ReadBytes().ToArray(), ancestors.ToImmutable());
    }

    private static T Required<T>(T? part)
        where T : class => part ?? throw new GeoSerializationException($"A request of a quorum store lacks its {typeof(T).Name}.");

    private static void Write(PayloadWriter to, StoreList? stores)
    {
        to.WriteUnsigned((ulong)(stores?.Version ?? 0));
        if (stores is null)
        {
            return;
        }

        if (stores.Version > 1)
        {
            // No list has the lineage 0: it says that registers are named that this one took the place of.
            if (!stores.Before.IsEmpty)
            {
                to.WriteUnsigned(0);
                if (!stores.Joins.IsEmpty)
                {
                    // Nor does one come after none: it joins others, which come first.
                    to.WriteUnsigned(0);
                    Write(to, stores.Joins);
                }

                Write(to, stores.Before);
            }

            to.WriteUnsigned(stores.IsForced ? 0 : stores.Lineage);
        }

        to.WriteUnsigned((ulong)stores.Stores.Count);
        foreach (var (cluster, store) in stores.Stores)
        {
            to.WriteText(cluster.Name);
            to.WriteBytes(store.ToByteArray());
        }
    }

    private static void Write(PayloadWriter to, ImmutableArray<ulong> lineages)
    {
        to.WriteUnsigned((ulong)lineages.Length);
        foreach (var lineage in lineages)
        {
            to.WriteUnsigned(lineage);
        }
    }

    private static StoreList? ReadStores(ref PayloadReader from)
    {
        var version = (long)from.ReadUnsigned();
        if (version == 0)
        {
            return null;
        }

        var lineage = version > 1 ? from.ReadUnsigned() : 0;
        var (before, joins) = (ImmutableArray<ulong>.Empty, ImmutableArray<ulong>.Empty);
        if (version > 1 && lineage == 0)
        {
            var count = from.ReadUnsigned();
            if (count == 0)
            {
                joins = ReadLineages(ref from, from.ReadUnsigned());
                count = from.ReadUnsigned();
            }

            before = ReadLineages(ref from, count);
            lineage = from.ReadUnsigned();
        }

        var stores = new Dictionary<ClusterId, Guid>();
        for (var left = from.ReadCount(); left > 0; left--)
        {
            stores[ReadCluster(ref from)] = ReadGuid(ref from);
        }

        return new(version, stores, lineage, before, joins);
    }

    private static ImmutableArray<ulong> ReadLineages(ref PayloadReader from, ulong count)
    {
        var lineages = new ulong[count is > 0 and <= StoreList.MostBefore
            ? count
            : throw new GeoSerializationException("A list of stores names no register that it took the place of, or too many.")];
        for (var i = 0; i < lineages.Length; i++)
        {
            lineages[i] = from.ReadUnsigned();
        }

        return [.. lineages];
    }

    private static ClusterId ReadCluster(ref PayloadReader from)
    {
        try
        {
            return new(from.ReadRequiredText());
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException($"A payload of a quorum store names a cluster that cannot be: {e.Message}", e);
        }
    }

    private static Guid ReadGuid(ref PayloadReader from)
    {
        var bytes = from.ReadBytes();
        return bytes.Length == StoreBytes
            ? new(bytes)
            : throw new GeoSerializationException($"A payload of a quorum store has {bytes.Length} bytes where a store's 16 should be.");
    }

    private static PageReply ReadPage(ref PayloadReader from)
    {
        var isLast = from.ReadByte() == 1;
        var rows = new PageRow[from.ReadCount()];
        for (var i = 0; i < rows.Length; i++)
        {
            var (key, row) = (from.ReadRequiredText(), ReadTold(ref from));
            rows[i] = new(key, row, TimeSpan.FromMilliseconds(Math.Min(from.ReadUnsigned(), int.MaxValue)));
        }

        return new(rows, isLast);
    }

    private static void Refuse(bool isOfNewer, string what)
    {
        if (isOfNewer)
        {
            throw new GeoSerializationException($"{what} {OfNewer}.");
        }
    }

    private static void End(PayloadReader from)
    {
        if (!from.Rest.IsEmpty)
        {
            throw new GeoSerializationException($"A payload of a quorum store goes on for {from.Rest.Length} bytes after its end.");
        }
    }
}
