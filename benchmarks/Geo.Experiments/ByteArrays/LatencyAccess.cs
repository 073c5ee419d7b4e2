using System.Globalization;
using ByteArraySample;
using Geo.Embedded;

namespace Geo.Experiments.ByteArrays;

/// <summary>One number of a row of Figure 8, from region and kind of access.</summary>
/// <param name="IsNear">True from California.</param>
/// <param name="IsFirst">True for the first access from there.</param>
/// <param name="IsUpdate">True for an update.</param>
internal readonly record struct LatencyAccess(bool IsNear, bool IsFirst, bool IsUpdate)
{
    /// <summary>The eight of a row, in the paper's order.</summary>
    public static LatencyAccess[] OfRow { get; } = [.. Enumerable.Range(0, 8).Select(i => new LatencyAccess(i < 4, i % 4 < 2, i % 2 == 1))];

    /// <summary>Makes the access, and those that must come before it.</summary>
    /// <param name="row">The row.</param>
    /// <param name="number">A number that no array has had.</param>
    /// <param name="call">Calls an array from a region, and says how long that took.</param>
    public async Task<TimeSpan> MakeAsync(LatencyRow row, int number, Func<bool, Func<IGrainFactory, Task>, Task<TimeSpan>> call)
    {
        var key = number.ToString(CultureInfo.InvariantCulture);
        Task<TimeSpan> ReadAsync(bool isNear) =>
            call(isNear, grains => grains.GetGrain<IByteArray>(key, row.Class).Read(0, row.IsLatest));
        if (row.IsAtNear is { } home && (home != IsNear || !IsFirst))
        {
            await ReadAsync(home);
        }

        if (!IsFirst)
        {
            await ReadAsync(IsNear);
        }

        return IsUpdate
            ? await call(IsNear, grains => grains.GetGrain<IByteArray>(key, row.Class).Update(0, new byte[Arrays.Part], row.IsLatest))
            : await ReadAsync(IsNear);
    }
}
