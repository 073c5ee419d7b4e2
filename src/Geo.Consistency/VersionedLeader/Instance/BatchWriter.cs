namespace Geo.Consistency;

/// <summary>Writes an instance's oldest updates for the leader: as many as a message carries, and none that cannot be written.</summary>
internal sealed class BatchWriter<TUpdate>(UpdateQueue<TUpdate> queue, IGeoSerializer serializer, int maxBytes)
{
    private readonly PayloadWriter _update = new();

    /// <summary>Writes the updates of the next batch, each group behind its size and each update behind its length.</summary>
    /// <param name="updates">Where to.</param>
    /// <param name="takeOut">Takes a group out of the queue that cannot be written, from one place to another, and why.</param>
    /// <returns>How many updates were written, and the conditional group that ends them, if one does.</returns>
    internal (int Count, UpdateGroup? Condition) Write(PayloadWriter updates, Action<int, int, GeoSerializationException> takeOut)
    {
        var most = int.MaxValue;
        while (true)
        {
            updates.Reset();
            var count = queue.BatchSizeThroughCondition(out var condition);
            (count, condition) = count > most ? (most, null) : (count, condition);
            if (TryWrite(updates, count, takeOut, out most))
            {
                return (count, condition);
            }
        }
    }

    /// <summary>Writes so many updates; otherwise none, and so many at most are to be written instead.</summary>
    private bool TryWrite(PayloadWriter updates, int count, Action<int, int, GeoSerializationException> takeOut, out int most)
    {
        most = int.MaxValue;
        var first = 0;
        foreach (var end in queue.GroupEnds(count))
        {
            updates.WriteUnsigned((ulong)(end - first));
            if (TryWriteGroup(updates, first, end) is { } failure)
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

    private GeoSerializationException? TryWriteGroup(PayloadWriter updates, int first, int end)
    {
        try
        {
            for (var i = first; i < end; i++)
            {
                _update.Reset();
                serializer.Serialize(queue[i], _update);
                updates.WriteBytes(_update.Written.Span);
            }

            return null;
        }
        catch (Exception e)
        {
            return e as GeoSerializationException ?? new GeoSerializationException(e.Message, e);
        }
    }
}
