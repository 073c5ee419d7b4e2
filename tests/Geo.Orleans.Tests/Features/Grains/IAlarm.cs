namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>An ordinary grain with a reminder, on which it calls a single-instance grain.</summary>
public interface IAlarm : IGrainWithStringKey
{
    Task Set(IRoamer toCall);

    /// <summary>Where the single-instance grain was when the reminder came; null before.</summary>
    Task<string?> Called();
}
