using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>Checks the client's settings before it starts.</summary>
internal sealed class GeoClientValidator(IOptions<GeoClientOptions> options) : IConfigurationValidator
{
    public void ValidateConfiguration() =>
        OptionsCheck.Check($"The settings in '{GeoClientOptions.Section}'", [options.Value]);
}
