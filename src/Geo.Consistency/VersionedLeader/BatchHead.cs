namespace Geo.Consistency;

/// <summary>The head of a follower's batch; the updates follow, each behind its length.</summary>
/// <param name="Instance">The follower's instance.</param>
/// <param name="KnownTerm">The newest term it knows.</param>
/// <param name="KnownVersion">The version it knows.</param>
/// <param name="InDoubtSince">
/// The version it knew when it first sent an update of this batch without hearing the decision, plus one; 0 when all is sent for the first
/// time.
/// </param>
/// <param name="FirstSequence">The sequence number of the first update.</param>
/// <param name="Count">How many updates follow.</param>
/// <param name="Conditional">How many of the last ones are conditional.</param>
/// <param name="ExpectedTerm">The term in which the expected version counts; 0 for any.</param>
/// <param name="ExpectedVersion">The version on top of which alone the conditional ones may be applied.</param>
internal readonly record struct BatchHead(
    long Instance,
    long KnownTerm,
    long KnownVersion,
    long InDoubtSince,
    long FirstSequence,
    int Count,
    int Conditional,
    long ExpectedTerm,
    long ExpectedVersion)
{
    internal long LastSequence => FirstSequence + Count - 1;

    internal void Write(PayloadWriter writer)
    {
        writer.WriteByte((byte)LeaderMessage.Batch);
        writer.WriteUnsigned((ulong)Instance);
        writer.WriteUnsigned((ulong)KnownTerm);
        writer.WriteUnsigned((ulong)KnownVersion);
        writer.WriteUnsigned((ulong)InDoubtSince);
        writer.WriteUnsigned((ulong)FirstSequence);
        writer.WriteUnsigned((ulong)Conditional);
        writer.WriteUnsigned((ulong)ExpectedTerm);
        writer.WriteUnsigned((ulong)ExpectedVersion);
        writer.WriteUnsigned((ulong)Count);
    }

    /// <summary>Reads the head alone.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a batch.</exception>
    internal static BatchHead Peek(ReadOnlySpan<byte> message)
    {
        var reader = new PayloadReader(message);
        return Read(ref reader);
    }

    /// <summary>Reads what follows the message's first byte.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a batch.</exception>
    internal static BatchHead Read(ref PayloadReader reader)
    {
        var instance = (long)reader.ReadUnsigned();
        var knownTerm = (long)reader.ReadUnsigned();
        var knownVersion = (long)reader.ReadUnsigned();
        var inDoubtSince = (long)reader.ReadUnsigned();
        var first = (long)reader.ReadUnsigned();
        var conditional = (long)reader.ReadUnsigned();
        var expectedTerm = (long)reader.ReadUnsigned();
        var expectedVersion = (long)reader.ReadUnsigned();
        var count = reader.ReadCount();
        return conditional >= 0 && conditional <= count
            ? new(instance, knownTerm, knownVersion, inDoubtSince, first, count, (int)conditional, expectedTerm, expectedVersion)
            : throw new GeoSerializationException($"A batch of {count} updates announces {conditional} conditional ones; it was damaged.");
    }
}
