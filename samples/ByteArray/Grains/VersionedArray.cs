namespace ByteArraySample;

/// <summary>Versioned API. Calls interleave, so that updates of many go to the store or the leader in one batch.</summary>
public abstract class VersionedArray : JournaledGrain<ArrayState, BytesWritten>, IByteArray
{
    public async Task<byte[]> Read(int offset, bool isLatest)
    {
        if (isLatest)
        {
            await RefreshNow();
            return State.Part(offset);
        }

        return TentativeState.Part(offset);
    }

    public Task Update(int offset, byte[] bytes, bool isConfirmed)
    {
        RaiseEvent(new BytesWritten(offset, bytes));
        return isConfirmed ? ConfirmEvents() : Task.CompletedTask;
    }
}
