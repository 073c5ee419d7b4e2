using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>Terms, names and logs as bytes. What is read is bounded and checked before it is used.</summary>
internal static class TermCodec
{
    // More clusters than a grain can have replicas in.
    private const int MaxNames = 64;

    // More than a grain can have, with room for further ones.
    private const long MaxDecisions = long.MaxValue >> 2;

    internal static void Write(PayloadWriter writer, Term term)
    {
        writer.WriteUnsigned((ulong)term.Counter);
        if (!term.IsNone)
        {
            writer.WriteText(term.Cluster.Name);
            writer.WriteUnsigned((ulong)term.Incarnation);
        }
    }

    /// <exception cref="GeoSerializationException">The bytes are not a term.</exception>
    internal static Term ReadTerm(ref PayloadReader reader)
    {
        var counter = ReadNumber(ref reader);
        return counter > Term.MaxCounter ? throw Damaged("knows a term that no other could follow")
            : counter == 0 ? default : new(counter, ReadCluster(ref reader), ReadNumber(ref reader));
    }

    internal static void Write(PayloadWriter writer, ClusterMap<long> names)
    {
        writer.WriteUnsigned((ulong)names.Count);
        foreach (var (cluster, incarnation) in names)
        {
            writer.WriteText(cluster.Name);
            writer.WriteUnsigned((ulong)incarnation);
        }
    }

    /// <exception cref="GeoSerializationException">The bytes are not names.</exception>
    internal static ClusterMap<long> ReadNames(ref PayloadReader reader)
    {
        var count = reader.ReadCount();
        if (count > MaxNames)
        {
            throw Damaged($"names {count} clusters, more than {MaxNames}");
        }

        var names = default(ClusterMap<long>);
        for (var i = 0; i < count; i++)
        {
            names = names.SetItem(ReadCluster(ref reader), ReadNumber(ref reader));
        }

        return names;
    }

    internal static void Write(PayloadWriter writer, ReplicaLog? log)
    {
        if (log is null)
        {
            writer.WriteByte(0);
            return;
        }

        writer.WriteByte(1);
        writer.WriteUnsigned((ulong)log.Starts.Length);
        foreach (var start in log.Starts)
        {
            Write(writer, start.Term);
            writer.WriteUnsigned((ulong)start.Version);
        }

        writer.WriteUnsigned((ulong)log.Step);
        writer.WriteUnsigned((ulong)log.Version);
        log.Applied.Write(writer);
        writer.WriteBytes(log.State.Span);
    }

    /// <exception cref="GeoSerializationException">The bytes are not a log.</exception>
    internal static ReplicaLog? ReadLog(ref PayloadReader reader)
    {
        if (reader.ReadByte() == 0)
        {
            return null;
        }

        var count = reader.ReadCount();
        if (count > ReplicaLog.MaxStarts)
        {
            throw Damaged($"has {count} terms, more than {ReplicaLog.MaxStarts}");
        }

        var starts = ImmutableArray.CreateBuilder<TermStart>(count);
        for (var i = 0; i < count; i++)
        {
            starts.Add(new(ReadTerm(ref reader), ReadNumber(ref reader)));
            if (starts[i].Term.IsNone || (i > 0 && (starts[i].Term <= starts[i - 1].Term || starts[i].Version <= starts[i - 1].Version)))
            {
                throw Damaged("has terms that are not in order");
            }
        }

        var (step, version) = (ReadNumber(ref reader), ReadNumber(ref reader));
        if (step > MaxDecisions || version > MaxDecisions)
        {
            throw Damaged("has more decisions than there can be");
        }

        if (count > 0 && starts[^1].Version > version)
        {
            throw Damaged("ends before its last term");
        }

        var applied = AppliedTable.Read(ref reader);
        return new(starts.MoveToImmutable(), step, version, applied, reader.ReadBytes().ToArray());
    }

    /// <summary>A number that is never negative.</summary>
    /// <exception cref="GeoSerializationException">It is.</exception>
    internal static long ReadNumber(ref PayloadReader reader) =>
        reader.ReadUnsigned() is var number and <= long.MaxValue ? (long)number : throw Damaged("holds a number out of range");

    internal static GeoSerializationException Damaged(string how) =>
        new($"A message between replicas of a volatile grain {how}; it was damaged, or comes from a build that does not fit.");

    private static ClusterId ReadCluster(ref PayloadReader reader)
    {
        var name = reader.ReadRequiredText();
        try
        {
            return new(name);
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException(Damaged("names a cluster that cannot be").Message, e);
        }
    }
}
