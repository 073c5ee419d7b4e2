using System.Collections.Concurrent;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>Arrays for large payloads, which in one run are all of one size or few.</summary>
internal static class PayloadPool
{
    private static readonly ConcurrentDictionary<int, ConcurrentBag<byte[]>> BySize = [];

    public static byte[] Rent(int bytes) =>
        BySize.TryGetValue(bytes, out var bag) && bag.TryTake(out var array) ? array : GC.AllocateUninitializedArray<byte>(bytes);

    public static void Return(byte[] array) => BySize.GetOrAdd(array.Length, _ => []).Add(array);
}
