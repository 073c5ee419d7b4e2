using Geo.Embedded;
using Geo.Experiments.Soak;
using Geo.Experiments.Soak.Stores;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Geo.Experiments.Tests.Soak;

public sealed class RegionRoleTests
{
    // Half an hour on SQLite: 600 moves a minute, some 300 bytes each; 10,000 of them were judged as a leak of 185 KiB a minute.
    [Fact]
    public void What_a_silo_remembers_to_show_is_full_before_its_memory_is_judged()
    {
        using var host = RegionRole.Build(
            new RegionSettings("eu", new Dictionary<string, string[]> { ["us"] = [] }, new StoreAddress(null, null), 0, 0),
            new InMemoryConditionalStore());

        var silo = host.Services.GetRequiredService<IOptions<GeoEmbeddedOptions>>().Value;

        Assert.InRange(silo.Directory.JournalSize, 1, 100);
    }
}
