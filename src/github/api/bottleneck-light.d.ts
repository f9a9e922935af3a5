/** The part of Bottleneck that the throttling plugin bundles, which brings no types of its own. */
declare module "bottleneck/light.js" {
  import Bottleneck from "bottleneck";
  export default Bottleneck;
}
