/** There is no published image: how to build one is part of the error. */
import { CarabinerError } from '../../runtime/index.ts'
import { programVersion } from '../program-version.ts'

export function imageMissing(): CarabinerError {
  const version = programVersion()
  return new CarabinerError('CRB_IMAGE_MISSING', 'flag --image is missing, and no image of the operator is published', {
    remedy: `build one in a checkout of this version, push it to a registry of yours, and give its name with --image:
  mkdir -p /tmp/carabiner-image
  npm run build && npm pack --pack-destination /tmp/carabiner-image
  docker build -t registry.example.com/carabiner:${version} -f - /tmp/carabiner-image <<'END'
  FROM node:22-slim
  COPY carabiner-${version}.tgz /tmp/carabiner.tgz
  RUN npm install --global /tmp/carabiner.tgz
  USER 65532
  ENTRYPOINT ["carabiner"]
  END
  docker push registry.example.com/carabiner:${version}`,
  })
}
