namespace Geo.Consistency;

/// <summary>The head of a batch as bytes; its groups of updates follow.</summary>
internal static class BatchCodec
{
    internal static void Write(PayloadWriter writer, BatchSender sender, UpdateBatch batch)
    {
        writer.WriteByte((byte)LeaderMessage.Batch);
        writer.WriteUnsigned((ulong)sender.Incarnation);
        writer.WriteByte(sender.IsSeated ? (byte)1 : (byte)0);
        TermCodec.Write(writer, sender.Highest);
        TermCodec.Write(writer, sender.Promised);
        TermCodec.Write(writer, sender.At);
        writer.WriteUnsigned((ulong)sender.Step);
        writer.WriteUnsigned((ulong)batch.Instance);
        writer.WriteUnsigned((ulong)batch.Since);
        UpdateGaps.Write(writer, batch.Gaps);
        writer.WriteUnsigned((ulong)batch.FirstSequence);
        writer.WriteUnsigned((ulong)batch.Conditional);
        if (batch.Conditional > 0)
        {
            TermCodec.Write(writer, batch.Base.Term);
            writer.WriteUnsigned((ulong)batch.Base.Version);
            writer.WriteUnsigned((ulong)batch.Expected);
        }

        writer.WriteUnsigned((ulong)batch.Count);
    }

    /// <summary>Reads a message's head, and where its updates begin.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a batch.</exception>
    internal static (BatchSender Sender, UpdateBatch Batch) ReadHead(ClusterId from, ReadOnlyMemory<byte> payload, out int updates)
    {
        var reader = new PayloadReader(payload.Span);
        if ((LeaderMessage)reader.ReadByte() != LeaderMessage.Batch)
        {
            throw new GeoSerializationException($"A message from {from} is of a kind that this version of Geo does not know.");
        }

        var head = Read(ref reader);
        updates = payload.Length - reader.Rest.Length;
        return head;
    }

    /// <summary>Reads what follows the message's first byte.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a batch.</exception>
    internal static (BatchSender Sender, UpdateBatch Batch) Read(ref PayloadReader reader)
    {
        var sender = new BatchSender(
            TermCodec.ReadNumber(ref reader), reader.ReadByte() != 0, TermCodec.ReadTerm(ref reader), TermCodec.ReadTerm(ref reader),
            TermCodec.ReadTerm(ref reader), TermCodec.ReadNumber(ref reader));
        var (instance, since, gaps, first, conditional) = (
            TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader), UpdateGaps.Read(ref reader),
            TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader));
        var basis = conditional == 0 ? default : new VersionBase(TermCodec.ReadTerm(ref reader), TermCodec.ReadNumber(ref reader));
        var expected = conditional == 0 ? 0 : TermCodec.ReadNumber(ref reader);
        var count = reader.ReadCount();
        return conditional <= count && first > 0 && first < (long.MaxValue >> 3) - count
            ? (sender, new(instance, since, first, count, (int)conditional, basis, expected, gaps))
            : throw TermCodec.Damaged($"has {count} updates from number {first}, of which {conditional} are conditional");
    }

    /// <summary>
    /// Reads the groups that follow a head, each update in them behind its length; all of them before the first is applied.
    /// </summary>
    /// <exception cref="GeoSerializationException">They are not what the head announces, or an update cannot be read.</exception>
    internal static List<TUpdate[]> ReadGroups<TUpdate>(ref PayloadReader reader, int count, IGeoSerializer serializer)
    {
        var groups = new List<TUpdate[]>();
        for (var left = count; left > 0; left -= groups[^1].Length)
        {
            var size = reader.ReadCount();
            if (size == 0 || size > left)
            {
                throw TermCodec.Damaged($"has a group of {size} updates where {left} are left");
            }

            var group = new TUpdate[size];
            for (var i = 0; i < size; i++)
            {
                group[i] = serializer.Deserialize<TUpdate>(reader.ReadBytes());
            }

            groups.Add(group);
        }

        return groups;
    }

    internal static byte[] WriteNotLeader(Term highest, bool isUndecided, string reason)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)BatchAnswer.NotLeader);
        TermCodec.Write(writer, highest);
        writer.WriteByte(isUndecided ? (byte)1 : (byte)0);
        writer.WriteText(reason);
        return writer.ToArray();
    }

    internal static byte[] WriteReply(BatchAnswer answer, Append append)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)answer);
        AppendCodec.Write(writer, append);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no answer to a batch.</exception>
    internal static BatchReply ReadReply(ReadOnlySpan<byte> message)
    {
        var reader = new PayloadReader(message);
        var answer = (BatchAnswer)reader.ReadByte();
        return answer switch
        {
            BatchAnswer.NotLeader =>
                new(answer, null, TermCodec.ReadTerm(ref reader), reader.ReadByte() != 0, reader.ReadText() ?? "it does not lead"),
            BatchAnswer.Latest or BatchAnswer.Forgotten =>
                new(answer, AppendCodec.Read(ref reader), default, answer == BatchAnswer.Forgotten, null),
            _ => throw TermCodec.Damaged("answers a batch in an unknown way"),
        };
    }
}
