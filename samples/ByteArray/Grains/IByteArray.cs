namespace ByteArraySample;

/// <summary>An array of <see cref="Arrays.Size"/> bytes, of which <see cref="Arrays.Part"/> are read or written at a time.</summary>
public interface IByteArray : IGrainWithStringKey
{
    /// <param name="offset">Where the part begins.</param>
    /// <param name="isLatest">True for a linearizable read.</param>
    Task<byte[]> Read(int offset, bool isLatest);

    /// <param name="offset">Where the part begins.</param>
    /// <param name="bytes">The part.</param>
    /// <param name="isConfirmed">True for a linearizable update.</param>
    Task Update(int offset, byte[] bytes, bool isConfirmed);
}
