using System.Diagnostics;
using System.Globalization;
using Geo.Orleans.Tests.Processes;
using Orleans.Placement;

namespace Geo.Orleans.Tests.Grains;

[GlobalSingleInstance]
[PreferLocalPlacement]
public sealed class Timed : Grain, ITimed
{
    private readonly Guid _activation = Guid.NewGuid();
    private int _key;

    /// <summary>Where the process marks what ran; null where nobody looks.</summary>
    internal static ServedMarks? Marks { get; set; }

    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        var name = this.GetPrimaryKeyString();
        _key = int.Parse(name.AsSpan(name.LastIndexOf('-') + 1), CultureInfo.InvariantCulture);
        return Task.CompletedTask;
    }

    public ValueTask<Served> Serve()
    {
        var began = Stopwatch.GetTimestamp();
        Marks?.MarkBegan(_key, began);
        return new(new Served(Environment.ProcessId, _activation, began));
    }
}
