namespace Geo.Consistency;

/// <summary>Writes an instance's oldest updates for the leader: as many as a message carries, and none that cannot be written.</summary>
internal static class BatchWriter<TUpdate>
{
    /// <summary>Writes the updates of the next batch, each group behind its size and each update behind its length.</summary>
    /// <param name="queue">The instance's updates.</param>
    /// <param name="serializer">Writes one.</param>
    /// <param name="maxBytes">As many bytes as a message carries.</param>
    /// <param name="updates">Where to.</param>
    /// <param name="takeOut">Takes a group out of the queue that cannot be written, from one place to another, and why.</param>
    /// <returns>How many updates were written, and the conditional group that ends them, if one does.</returns>
    internal static (int Count, UpdateGroup? Condition) Write(
        UpdateQueue<TUpdate> queue, IGeoSerializer serializer, int maxBytes, PayloadWriter updates,
        Action<int, int, GeoSerializationException> takeOut)
    {
        var most = int.MaxValue;
        while (true)
        {
            updates.Reset();
            var count = queue.BatchSizeThroughCondition(out var condition);
            (count, condition) = count > most ? (most, null) : (count, condition);
            if (TryWrite(queue, serializer, maxBytes, updates, count, takeOut, out most))
            {
                return (count, condition);
            }
        }
    }

    /// <summary>Writes so many updates; otherwise none, and so many at most are to be written instead.</summary>
    private static bool TryWrite(
        UpdateQueue<TUpdate> queue, IGeoSerializer serializer, int maxBytes, PayloadWriter updates, int count,
        Action<int, int, GeoSerializationException> takeOut, out int most)
    {
        most = int.MaxValue;
        var first = 0;
        var update = new PayloadWriter();
        foreach (var end in queue.GroupEnds(count))
        {
            updates.WriteUnsigned((ulong)(end - first));
            if (TryWriteGroup(queue, serializer, update, updates, first, end) is { } failure)
            {
                takeOut(first, end, failure);
                return false;
            }

            if (updates.Written.Length > maxBytes)
            {
                most = first > 0 ? first : most;
                if (first == 0)
                {
                    takeOut(0, end, new GeoSerializationException(
                        $"they have more than the {maxBytes} bytes that a message to another cluster carries (option MaxBytes)."));
                }

                return false;
            }

            first = end;
        }

        return true;
    }

    private static GeoSerializationException? TryWriteGroup(
        UpdateQueue<TUpdate> queue, IGeoSerializer serializer, PayloadWriter update, PayloadWriter updates, int first, int end)
    {
        try
        {
            for (var i = first; i < end; i++)
            {
                update.Reset();
                serializer.Serialize(queue[i], update);
                updates.WriteBytes(update.Written.Span);
            }

            return null;
        }
        catch (Exception e)
        {
            return e as GeoSerializationException ?? new GeoSerializationException(e.Message, e);
        }
    }
}
