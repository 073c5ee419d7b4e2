using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing;

/// <summary>The environment of a simulated silo's host: production, without files.</summary>
internal sealed class SimulatedEnvironment : IHostEnvironment
{
    public string EnvironmentName { get; set; } = Environments.Production;

    public string ApplicationName { get; set; } = "simulation";

    public string ContentRootPath { get; set; } = "";

    public IFileProvider ContentRootFileProvider { get; set; } = new NullFileProvider();
}
